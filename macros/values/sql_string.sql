{#
    Spark reads backslash sequences in a literal unless spark.sql.parser.escapedStringLiterals says
    otherwise.
#}
{% macro sql_string(text) -%}
{%- if text is none -%}
null
{%- else -%}
'{{ text | string | replace('\\', '\\\\') | replace("'", "\\'") }}'
{%- endif -%}
{%- endmacro %}
