{#
    The documents of a message as a JSON list, which they are where the formatter writes lists. Else they
    follow one another: a comma belongs between a `}` and a `{`, of which neither stands in a string, for
    the expression steps over strings as in numbers_quoted(). Kafka Connect's handler, which writes one document
    a message, has it below `payload`, behind the schema part: there a text with these letters would have
    backslashes.
#}
{% macro _ogg_json_list(text) -%}
{%- set place = "locate(',\"payload\":{', " ~ text ~ ")" -%}
case
                when startswith({{ text }}, '[') then {{ text }}
                when startswith({{ text }}, '{"schema":{') and {{ place }} > 0 and endswith({{ text }}, '}}')
                    then concat('[', substr({{ text }}, {{ place }} + 11, length({{ text }}) - {{ place }} - 11), ']')
                when contains({{ text }}, '}{') or contains({{ text }}, '}\n{') or contains({{ text }}, '}\r\n{')
                    then concat('[', regexp_replace(
                        {{ text }},
                        r'\G((?:[^"}]++|"[^"\\]*+(?:\\.[^"\\]*+)*+"|\}(?!\s*+\{))*+\}\s*+)(?=\{)',
                        '$1,'
                    ), ']')
                else concat('[', {{ text }}, ']')
            end
{%- endmacro %}
