{#
    The documents of a message as a JSON list, which they are where the formatter writes lists. Else they
    follow one another: a comma belongs between a `}` and a `{`, of which neither stands in a string, for
    the expression steps over strings as in numbers_quoted().
#}
{% macro _ogg_json_list(text) -%}
case
                when startswith({{ text }}, '[') then {{ text }}
                when contains({{ text }}, '}{') or contains({{ text }}, '}\n{') or contains({{ text }}, '}\r\n{')
                    then concat('[', regexp_replace(
                        {{ text }},
                        r'\G((?:[^"}]++|"[^"\\]*+(?:\\.[^"\\]*+)*+"|\}(?!\s*+\{))*+\}\s*+)(?=\{)',
                        '$1,'
                    ), ']')
                else concat('[', {{ text }}, ']')
            end
{%- endmacro %}
