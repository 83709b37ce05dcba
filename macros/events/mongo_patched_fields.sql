{#
    The fields that an update sets or unsets whole, with the key. A dotted path changes a part of a
    field, whose new value the message does not hold: it stands in `_document` only.

    Arguments:
        key (string): an expression of type map<string, string>: the key's fields.
        patch (string): an expression of type map<string, map<string, string>>, see mongo_documents().
#}
{% macro mongo_patched_fields(key, patch) -%}
{%- set nothing = 'cast(map() as map<string, string>)' -%}
{%- set sets = "coalesce(" ~ patch ~ "['$set'], " ~ nothing ~ ")" -%}
map_concat(
                {{ key }},
                if(
                    contains(array_join(map_keys({{ sets }}), ' '), '.'),
                    map_filter({{ sets }}, (path, value) -> not contains(path, '.')),
                    {{ sets }}
                ),
                map_from_entries(transform(
                    filter(map_keys(coalesce({{ patch }}['$unset'], {{ nothing }})), path -> not contains(path, '.')),
                    path -> struct(path as key, cast(null as string) as value)
                ))
            )
{%- endmacro %}
