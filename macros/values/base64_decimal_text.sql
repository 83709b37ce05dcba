{#
    The text of a decimal that comes as Base64 of its unscaled value, a big-endian two's complement
    of up to 18 bytes; null where it has more than 38 digits.

    The magnitude is put together from three groups of 48 bits, which conv() and DECIMAL(38) hold.

    Arguments:
        text (string): an expression of type string.
        encoding (string): base64_unscaled(n), where n digits stand behind the point, or
            base64_struct, a JSON object of `scale` and `value`.
#}
{% macro base64_decimal_text(text, encoding) -%}
{%- if encoding == 'base64_struct' -%}
{{ _unscaled_text_once("get_json_object(" ~ text ~ ", '$.value')", "try_cast(get_json_object(" ~ text ~ ", '$.scale') as int)") }}
{%- else -%}
{{ _unscaled_text_once(text, encoding.split('(')[1].rstrip(')') | int) }}
{%- endif -%}
{%- endmacro %}

{# The bytes are bound to a name by a lambda: they are looked at many times. #}
{% macro _unscaled_text_once(text, scale) -%}
{%- set bytes = "hex(try_to_binary(" ~ text ~ ", 'base64'))" -%}
aggregate(
    array({{ bytes }}),
    cast(null as string),
    (none, bytes) -> {{ _unscaled_text('bytes', scale) }}
)
{%- endmacro %}

{% macro _unscaled_text(hex, scale) -%}
{%- set negative = "substr(" ~ hex ~ ", 1, 1) >= '8'" -%}
{%- set padded = "lpad(if(" ~ negative ~ ", translate(" ~ hex ~ ", '0123456789ABCDEF', 'FEDCBA9876543210'), " ~ hex ~ "), 36, '0')" -%}
{%- set group = [] -%}
{%- for start in (1, 13, 25) -%}
{%- do group.append("cast(conv(substr(" ~ padded ~ ", " ~ start ~ ", 12), 16, 10) as decimal(38, 0))") -%}
{%- endfor -%}
case
    when length({{ hex }}) between 2 and 36 then
        concat(
            if({{ negative }}, '-', ''),
            rtrim('.', regexp_replace(
                lpad(
                    cast(try_add(
                        try_add(
                            try_multiply({{ group[0] }}, cast(79228162514264337593543950336 as decimal(38, 0))),
                            {{ group[1] }} * cast(281474976710656 as decimal(15, 0))
                        ),
                        {{ group[2] }} + if({{ negative }}, 1, 0)
                    ) as string),
                    greatest({{ scale }} + 1, 40), '0'
                ),
                concat('^0*([0-9]+?)([0-9]{', {{ scale }}, '})$'),
                '$1.$2'
            ))
        )
end
{%- endmacro %}
