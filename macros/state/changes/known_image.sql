{#
    The image after an event with what is known besides in it: a partial one may hold only what
    changed, and the image before holds the key, and with most dialects all its values are the row's, see
    format_traits().

    Arguments:
        key (list of dictionaries): the key's columns, see declared_column().
#}
{% macro known_image(key) -%}
{%- set names = sql_strings(key | map(attribute='sources') | sum(start=[])) | join(', ') -%}
{%- set known = 'before' if format_traits().before_is_whole else 'map_filter(before, (name, value) -> name in (' ~ names ~ '))' -%}
if(is_partial, map_concat(coalesce({{ known }}, cast(map() as map<string, string>)), after), after)
{%- endmacro %}
