{% macro known_image(key, has_moved=false) -%}
{%- set names = sql_strings(key | map(attribute='sources') | sum(start=[])) | join(', ') -%}
{#- for a row that has moved, no earlier image has the rest; a null can be a value that is not sent -#}
{%- set condition = 'name in (' ~ names ~ ')' ~ (' or value is not null' if has_moved else '') -%}
{%- set known = 'before' if format_traits().before_is_whole else 'map_filter(before, (name, value) -> ' ~ condition ~ ')' -%}
if(is_partial, map_concat(coalesce({{ known }}, cast(map() as map<string, string>)), after), after)
{%- endmacro %}
