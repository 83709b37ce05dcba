{# A plain cast would round a value with more digits than the type. #}
{% macro decode_decimal(text, type, encoding='text') -%}
{%- if encoding == 'exact' -%}
case when {{ text }} rlike r'^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\z' then {{ _exact_decimal(text, type) }} end
{%- elif encoding == 'bare' -%}
{%- set exact = decode_decimal(text, type, 'exact') -%}
{%- set places = 15 - (type.split(',')[1].rstrip(')') | int if ',' in type else 0) -%}
{#- with more digits, a double may already have rounded another number to this one -#}
case when abs({{ exact }}) < {{ '1' ~ '0' * places if places >= 0 else '0.' ~ '0' * (-places - 1) ~ '1' }}BD then {{ exact }} end
{%- elif encoding == 'signed64' -%}
cast({{ whole_number(text) }} + case when {{ text }} like '-%' then 18446744073709551616 else 0 end as {{ type }})
{%- elif encoding.startswith('base64_') -%}
{{ _exact_decimal(base64_decimal_text(text, encoding), type) }}
{%- elif encoding in ('bits', 'big_endian_bits') -%}
{%- set hex = "hex(try_to_binary(" ~ text ~ ", 'base64'))" -%}
{#- an empty text means zero; conv() returns the largest number for more than 64 bits -#}
case
    when contains({{ text }}, '.') then {{ _exact_decimal("rtrim('.', " ~ text ~ ")", type) }}
    when {{ text }} = '' then cast(0 as {{ type }})
    when length(rtrim('=', {{ text }})) <= 11
        then try_cast(conv({{ reversed_bytes(hex) if encoding == 'bits' else hex }}, 16, 10) as {{ type }})
end
{%- else -%}
{{ _exact_decimal(text, type) }}
{%- endif -%}
{%- endmacro %}

{# `text` as a decimal if that loses nothing: without trailing zeros, its fraction fits the scale. #}
{% macro _exact_decimal(text, type) -%}
{%- set scale = type.split(',')[1].rstrip(')') | int if ',' in type else 0 -%}
case
    when not contains({{ text }}, '.') and not contains(upper({{ text }}), 'E') then try_cast({{ text }} as {{ type }})
    when contains(upper({{ text }}), 'E')
        then case
            -- a zero has as many digits after the point as its type: `0E-10`
            when {{ text }} rlike r'^[+-]?0+(?:\.0*)?[eE][+-]?[0-9]+\z' then cast(0 as {{ type }})
            -- the digits of the mantissa after the point, less the exponent
            when length(rtrim('0', regexp_extract(upper({{ text }}), r'\.([0-9]*+)E', 1)))
                - try_cast(regexp_extract(upper({{ text }}), r'E([+-]?[0-9]+)\z', 1) as int) <= {{ scale }}
                then {{ decimal_of_text(text, type) }}
        end
    when length(rtrim('0', substring_index({{ text }}, '.', -1))) <= {{ scale }} then try_cast({{ text }} as {{ type }})
end
{%- endmacro %}
