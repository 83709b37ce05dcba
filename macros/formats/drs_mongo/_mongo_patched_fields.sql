{#
    The fields that an update sets or unsets whole, with the key. A dotted path changes a part of a
    field, whose new value the message does not hold: it stands in `_document` only.
#}
{% macro _mongo_patched_fields() -%}
{%- set whole_set = _mongo_whole_fields("coalesce(patch['$set'], cast(map() as map<string, string>))") -%}
{%- set whole_unset = _mongo_whole_fields("coalesce(patch['$unset'], cast(map() as map<string, string>))") -%}
map_concat(
                filter,
                {{ whole_set }},
                map_from_arrays(
                    map_keys({{ whole_unset }}),
                    array_repeat(cast(null as string), size({{ whole_unset }}))
                )
            )
{%- endmacro %}

{% macro _mongo_whole_fields(fields) -%}
if(
                    contains(array_join(map_keys({{ fields }}), ' '), '.'),
                    map_filter({{ fields }}, (name, value) -> not contains(name, '.')),
                    {{ fields }}
                )
{%- endmacro %}
