{% macro known_image(key) -%}
{%- set names = sql_strings(key | map(attribute='sources') | sum(start=[])) | join(', ') -%}
{%- set known = 'before' if format_traits().before_is_whole else 'map_filter(before, (name, value) -> name in (' ~ names ~ '))' -%}
if(is_partial, map_concat(coalesce({{ known }}, cast(map() as map<string, string>)), after), after)
{%- endmacro %}
