{#
    Names as quoted identifiers, see sql_name().

    Arguments:
        names (list of string): the names as they are.

    Returns: a list of string.
#}
{% macro sql_names(names) -%}
{%- set quoted = [] -%}
{%- for name in names -%}
{%- do quoted.append(sql_name(name)) -%}
{%- endfor -%}
{{ return(quoted) }}
{%- endmacro %}
