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
