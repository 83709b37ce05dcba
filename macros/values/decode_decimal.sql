{#
    A decimal, exact or null: a cast alone would round what has more digits than the type.

    Arguments:
        text (string): an expression of type string.
        type (string): decimal(p,s).
        encoding (string): text; exact: a number as JSON has it, since the type is a guess and the text
            may be another than that of the number: `007.5`, ` 7`; signed64 (a 64-bit integer whose unsigned values from 2^63 up come
            negative); base64_unscaled(n) (Base64 of the big-endian two's complement of the value
            times 10^n; n = 0 is a whole number); base64_struct (a JSON object of scale and value,
            Debezium's VariableScaleDecimal); bits (Base64 of the little-endian bytes of a bit field);
            big_endian_bits (the same with the bytes as MySQL has them).
#}
{% macro decode_decimal(text, type, encoding='text') -%}
{%- if encoding == 'exact' -%}
case when {{ text }} rlike r'^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\z' then {{ _exact_decimal(text, type) }} end
{%- elif encoding == 'signed64' -%}
cast({{ whole_number(text) }} + case when {{ text }} like '-%' then 18446744073709551616 else 0 end as {{ type }})
{%- elif encoding.startswith('base64_') -%}
{{ _exact_decimal(base64_decimal_text(text, encoding), type) }}
{%- elif encoding in ('bits', 'big_endian_bits') -%}
{%- set hex = "hex(try_to_binary(" ~ text ~ ", 'base64'))" -%}
{#- nothing stands for zero; conv() takes what has more than 64 bits for the largest number -#}
case
    when {{ text }} = '' then cast(0 as {{ type }})
    when length(rtrim('=', {{ text }})) <= 11
        then try_cast(conv({{ "array_join(reverse(regexp_extract_all(" ~ hex ~ ", '(..)', 1)), '')" if encoding == 'bits' else hex }}, 16, 10) as {{ type }})
end
{%- else -%}
{{ _exact_decimal(text, type) }}
{%- endif -%}
{%- endmacro %}

{# `text` as a decimal where that loses nothing: its fraction without trailing zeros fits the scale. #}
{% macro _exact_decimal(text, type) -%}
{%- set scale = type.split(',')[1].rstrip(')') | int if ',' in type else 0 -%}
case
    when not contains({{ text }}, '.') and not contains(upper({{ text }}), 'E') then try_cast({{ text }} as {{ type }})
    when contains(upper({{ text }}), 'E')
        then case
            -- a zero has as many digits behind its point as its type: `0E-10`
            when {{ text }} rlike r'^[+-]?0+(?:\.0*)?[eE][+-]?[0-9]+\z' then cast(0 as {{ type }})
            -- the digits of the mantissa behind the point, less the exponent
            when length(rtrim('0', regexp_extract(upper({{ text }}), r'\.([0-9]*+)E', 1)))
                - try_cast(regexp_extract(upper({{ text }}), r'E([+-]?[0-9]+)\z', 1) as int) <= {{ scale }}
                then {{ decimal_of_text(text, type) }}
        end
    when length(rtrim('0', substring_index({{ text }}, '.', -1))) <= {{ scale }} then try_cast({{ text }} as {{ type }})
end
{%- endmacro %}
