{#
    The text of a decimal that comes as Base64 of its unscaled value, a big-endian two's complement.
    What has a point, which is no letter of Base64, is the number already: see image_as_declared().

    The magnitude is put together from three groups of 48 bits, which conv() and DECIMAL(38) hold;
    what is longer, from any number of groups, by long multiplication in limbs of 18 digits.

    Arguments:
        text (string): an expression of type string.
        encoding (string): base64_unscaled(n), where n digits stand behind the point (-n: as many zeros
            in front of it), or base64_struct, a JSON object of `scale` and `value`.
#}
{% macro base64_decimal_text(text, encoding) -%}
{%- if encoding == 'base64_struct' -%}
{%- set decoded = _unscaled_text_once("get_json_object(" ~ text ~ ", '$.value')", _scale("try_cast(get_json_object(" ~ text ~ ", '$.scale') as int)")) -%}
{%- else -%}
{%- set scale = encoding.split('(')[1].rstrip(')') | int -%}
{%- set decoded = _unscaled_text_once(text, scale) if -130 <= scale <= 16383 else 'cast(null as string)' -%}
{%- endif -%}
if(contains({{ text }}, '.'), rtrim('.', {{ text }}), {{ decoded }})
{%- endmacro %}

{# A scale beyond PostgreSQL's, or below Oracle's, is no digit count: the value is undecodable. #}
{% macro _scale(number) -%}
if({{ number }} between -130 and 16383, {{ number }}, null)
{%- endmacro %}

{# The bytes are bound to a name by a lambda: they are looked at many times. #}
{% macro _unscaled_text_once(text, scale) -%}
{%- set bytes = "hex(try_to_binary(" ~ text ~ ", 'base64'))" -%}
aggregate(
    array({{ bytes }}),
    cast(null as string),
    (none, bytes) -> {{ _unscaled_text('bytes', scale) }}
    {%- if scale is string or scale < 0 %},
    -- a negative scale counts zeros in front of the point
    number -> if({{ scale }} < 0 and number != '0', concat(number, repeat('0', -({{ scale }}))), number)
    {%- endif %}
)
{%- endmacro %}

{% macro _unscaled_text(hex, scale) -%}
{%- set negative = "substr(" ~ hex ~ ", 1, 1) >= '8'" -%}
{%- set padded = "lpad(if(" ~ negative ~ ", translate(" ~ hex ~ ", '0123456789ABCDEF', 'FEDCBA9876543210'), " ~ hex ~ "), 36, '0')" -%}
{%- set group = [] -%}
{%- for start in (1, 13, 25) -%}
{%- do group.append("cast(conv(substr(" ~ padded ~ ", " ~ start ~ ", 12), 16, 10) as decimal(38, 0))") -%}
{%- endfor -%}
{%- set short -%}
cast(try_add(
                        try_add(
                            try_multiply({{ group[0] }}, cast(79228162514264337593543950336 as decimal(38, 0))),
                            {{ group[1] }} * cast(281474976710656 as decimal(15, 0))
                        ),
                        {{ group[2] }} + if({{ negative }}, 1, 0)
                    ) as string)
{%- endset -%}
case
    -- of as many digits as PostgreSQL's longest at the most: the time grows with their square
    when length({{ hex }}) between 2 and 122500 then
        concat(
            if({{ negative }}, '-', ''),
            rtrim('.', regexp_replace(
                lpad(
                    coalesce(if(length({{ hex }}) <= 36, {{ short }}, null), {{ _long_magnitude(hex, negative) }}),
                    greatest({{ scale }} + 1, 40, 36 + length({{ hex }}) * 5 div 4), '0'
                ),
                concat('^0*([0-9]+?)([0-9]{', if({{ scale }} < 0, 0, {{ scale }}), '})$'),
                '$1.$2'
            ))
        )
end
{%- endmacro %}

{#
    The digits of a number of any length, given as hexadecimal two's complement. `limbs` are its
    digits in groups of 18, the least ones first; each further group of 48 bits multiplies them.
#}
{% macro _long_magnitude(hex, negative) -%}
{%- set bits -%}
if({{ negative }}, translate({{ hex }}, '0123456789ABCDEF', 'FEDCBA9876543210'), {{ hex }})
{%- endset -%}
array_join(transform(reverse(aggregate(
                        regexp_extract_all(
                            lpad({{ bits }}, cast(ceil(length({{ hex }}) / 12D) as int) * 12, '0'), '(.{12})', 1
                        ),
                        array(cast(0 as decimal(38, 0))),
                        (limbs, digits) -> {{ _next_limbs("cast(conv(digits, 16, 10) as decimal(38, 0))", '281474976710656') }},
                        limbs -> if({{ negative }}, {{ _next_limbs('cast(1 as decimal(38, 0))', '1') }}, limbs)
                    )), limb -> lpad(cast(limb as string), 18, '0')), '')
{%- endmacro %}

{# `limbs` times a factor and plus a number, which is carried from limb to limb. #}
{% macro _next_limbs(carry, factor) -%}
aggregate(
                            limbs,
                            struct(cast(array() as array<decimal(38, 0)>) as done, {{ carry }} as carry),
                            (sum, limb) -> struct(
                                concat(sum.done, array(cast((limb * {{ factor }}BD + sum.carry) % 1000000000000000000BD as decimal(38, 0)))) as done,
                                cast((limb * {{ factor }}BD + sum.carry) div 1000000000000000000BD as decimal(38, 0)) as carry
                            ),
                            sum -> if(sum.carry = 0, sum.done, concat(sum.done, array(sum.carry)))
                        )
{%- endmacro %}
