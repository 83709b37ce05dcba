{% macro is_before_listed(prefix, truncations) -%}
{%- set point = {} -%}
{%- for name in truncation_literals(truncations[0]) -%}
{%- do point.update({name: 'truncation.' ~ name}) -%}
{%- endfor -%}
{{ is_before_point(prefix, point) }}
{%- endmacro %}
