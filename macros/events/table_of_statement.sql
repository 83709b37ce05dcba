{% macro table_of_statement(sql, database) -%}
{%- set name = '(`[^`]*+`|"[^"]*+"|[^\\s`".;(,]++)' -%}
{%- set found -%}
regexp_extract(
                    {{ without_comments(sql) }},
                    r'(?is)^[\s;]*+(?:truncate(?:\s+table\b)?+|(?:create(?:\s+or\s+replace)?+|alter(?:\s+online)?+(?:\s+ignore)?+|drop)\s+tables?+)\s+(?:if\s+(?:not\s+)?+exists\s+)?+(?:{{ name }}\s*+\.\s*+)?{{ name }}(?=\s*+(?:[;(]|\z)|\s++[^\s,;(.])',
                    %s
                )
{%- endset -%}
case
                when {{ database }} is not null and trim(r'`"', {{ found % 1 }}) in ('', {{ database }})
                    then nullif(trim(r'`"', {{ found % 2 }}), '')
            end
{%- endmacro %}
