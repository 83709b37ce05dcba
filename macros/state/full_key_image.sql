{#
    The image after an event with the key's columns in it: a partial one may hold only what changed.

    Arguments:
        key (list of dictionaries): the key's columns, see declared_column().
#}
{% macro full_key_image(key) -%}
if(is_partial, map_concat(coalesce(map_filter(before, (name, value) -> name in (
    {%- for source in key | map(attribute='sources') | sum(start=[]) -%}{{ sql_string(source) }}{{ '' if loop.last else ', ' }}{%- endfor -%}
)), cast(map() as map<string, string>)), after), after)
{%- endmacro %}
