{% macro json_string(text) -%}
regexp_extract(to_json(array({{ text }})), r'(?s)^\[(.*)\]\z', 1)
{%- endmacro %}
