{% macro key_text(key, image, time_zone) -%}
{{ 'sha2(' if key | length > 8 }}concat(
    {%- for column in key -%}
    {%- set text = image_text(image, column) -%}
    {%- set value = decode(text, column, time_zone) -%}
    {%- set value = value_text(value, column) -%}
    {%- set value = 'lower(' ~ value ~ ')' if column.ignore_case else value if value == text else 'coalesce(' ~ value ~ ', ' ~ text ~ ')' %}
    coalesce(concat(length({{ value }}), ':', {{ value }}), '~'){{ '' if loop.last else ',' }}
    {%- endfor %}
){{ ', 256)' if key | length > 8 }}
{%- endmacro %}
