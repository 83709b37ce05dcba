{# The formats that there is a parser for: the one list that the models and tests go by. #}
{% macro formats() -%}
{{ return(['drs_json', 'oceanbase_default', 'canal', 'debezium']) }}
{%- endmacro %}
