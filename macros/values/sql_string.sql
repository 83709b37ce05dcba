{#
    A text as a literal of Spark SQL. Quotes and backslashes are escaped: Spark reads backslash
    sequences in a literal unless spark.sql.parser.escapedStringLiterals says otherwise.

    Arguments:
        text (string): any text; none gives `null`.
#}
{% macro sql_string(text) -%}
{%- if text is none -%}
null
{%- else -%}
'{{ text | string | replace('\\', '\\\\') | replace("'", "\\'") }}'
{%- endif -%}
{%- endmacro %}
