{% macro sql_name(name) -%}
`{{ name | replace('`', '``') }}`
{%- endmacro %}
