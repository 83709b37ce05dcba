{#
    The fields that an update sets or unsets whole, with the key. A dotted path changes a part of a
    field, whose new value the message does not hold: it stands in `_document` only.
#}
{% macro _mongo_patched_fields() -%}
map_concat(
                key_fields,
                if(
                    contains(array_join(map_keys(patch_sets), ' '), '.'),
                    map_filter(patch_sets, (path, value) -> not contains(path, '.')),
                    patch_sets
                ),
                map_from_entries(transform(
                    filter(patch_unsets, path -> not contains(path, '.')),
                    path -> struct(path as key, cast(null as string) as value)
                ))
            )
{%- endmacro %}
