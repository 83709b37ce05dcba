{#
    The database in OceanBase Migration Service's name of it, `tenant.database`: what stands behind
    the first dot, or all of it. Null where that is empty.

    Arguments:
        db (string): an expression of type string.
#}
{% macro oceanbase_database(db) -%}
{{ non_blank('substr(' ~ db ~ ", locate('.', " ~ db ~ ') + 1)') }}
{%- endmacro %}
