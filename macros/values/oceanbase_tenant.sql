{#
    The tenant in OceanBase Migration Service's name of a database, `tenant.database`; null where
    there is none.

    Arguments:
        db (string): an expression of type string.
#}
{% macro oceanbase_tenant(db) -%}
case when locate('.', {{ db }}) > 1 then substring_index({{ db }}, '.', 1) end
{%- endmacro %}
