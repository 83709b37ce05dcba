{# Not map_filter(): Spark does not compile its lambda. #}
{% macro without_entry(image, name) -%}
map_from_entries(array_remove(
            map_entries({{ image }}),
            named_struct('key', {{ sql_string(name) }}, 'value', {{ image }}[{{ sql_string(name) }}])
        ))
{%- endmacro %}
