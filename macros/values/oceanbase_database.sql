{% macro oceanbase_database(db) -%}
{{ non_blank('substr(' ~ db ~ ", locate('.', " ~ db ~ ') + 1)') }}
{%- endmacro %}
