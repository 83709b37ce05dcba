{% macro oceanbase_tenant(db) -%}
case when locate('.', {{ db }}) > 1 then substring_index({{ db }}, '.', 1) end
{%- endmacro %}
