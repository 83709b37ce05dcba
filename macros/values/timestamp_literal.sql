{#
    A time as a literal of Spark SQL.

    Arguments:
        text (string): the time as Spark writes it; none gives a null of this type.
#}
{% macro timestamp_literal(text) -%}
cast({{ sql_string(text) }} as timestamp)
{%- endmacro %}
