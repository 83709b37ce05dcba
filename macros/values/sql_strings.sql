{#
    Texts as literals of Spark SQL, see sql_string().

    Arguments:
        texts (list of string): the texts as they are.

    Returns: a list of string.
#}
{% macro sql_strings(texts) -%}
{%- set literals = [] -%}
{%- for text in texts -%}
{%- do literals.append(sql_string(text)) -%}
{%- endfor -%}
{{ return(literals) }}
{%- endmacro %}
