{#
    The image after an event with what is known besides in it: a partial one may hold only what
    changed, and the image before holds the key, and with some dialects all of the row. In Debezium's
    only the key is to be trusted: what the source did not log stands there as null.

    Arguments:
        key (list of dictionaries): the key's columns, see declared_column().
#}
{% macro known_image(key) -%}
if(is_partial, map_concat(coalesce(map_filter(before, (name, value) -> name in (
    {{- sql_strings(key | map(attribute='sources') | sum(start=[])) | join(', ') -}}
) or format != 'debezium'), cast(map() as map<string, string>)), after), after)
{%- endmacro %}
