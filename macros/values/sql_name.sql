{#
    A name as a quoted identifier of Spark SQL, whatever characters it holds.

    Arguments:
        name (string): the name as it is.
#}
{% macro sql_name(name) -%}
`{{ name | replace('`', '``') }}`
{%- endmacro %}
