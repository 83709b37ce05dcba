{# The formats that there is a parser for: the one list that the models and tests go by. #}
{% macro formats() -%}
{{ return(['canal']) }}
{%- endmacro %}
