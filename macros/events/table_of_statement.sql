{#
    The table that a DDL statement names: of a dialect whose message may name the database alone.

    Arguments:
        sql (string): an expression of type string, the statement.
        database (string): an expression of type string, the database that the message names.

    Returns: an expression of type string: the table's name without its quotes; null where the
        statement creates, alters, drops or truncates no table, or one of another database.
#}
{% macro table_of_statement(sql, database) -%}
{%- set name = '(`[^`]*`|"[^"]*"|[^\\s`".;(]+)' -%}
{%- set pattern -%}
r'(?is)^(?:[\s;]|/\*(?!!).*?\*/)*(?:truncate(?:\s+table)?|(?:create|alter|drop)\s+table)\s+(?:if\s+(?:not\s+)?exists\s+)?(?:{{ name }}\s*\.\s*)?{{ name }}(?=[\s;(]|$)'
{%- endset -%}
case
            when trim(r'`"', regexp_extract({{ sql }}, {{ pattern }}, 1)) in ('', {{ database }})
                then nullif(trim(r'`"', regexp_extract({{ sql }}, {{ pattern }}, 2)), '')
        end
{%- endmacro %}
