{#
    The magnitude is put together from three groups of 48 bits, which conv() and DECIMAL(38) hold;
    anything longer goes through Java.
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

{# A scale beyond PostgreSQL's maximum or Oracle's minimum cannot be one: the value is undecodable. #}
{% macro _scale(number) -%}
if({{ number }} between -130 and 16383, {{ number }}, null)
{%- endmacro %}

{# A lambda binds the bytes to a name, since they are used many times. #}
{% macro _unscaled_text_once(text, scale) -%}
{%- set bytes = "hex(try_to_binary(" ~ text ~ ", 'base64'))" -%}
aggregate(
    array({{ bytes }}),
    cast(null as string),
    (none, bytes) -> {{ _unscaled_text('bytes', scale) }}
    {%- if scale is string or scale < 0 %},
    -- a negative scale counts zeros before the point
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
{%- set fraction = [scale, 0] | max if scale is number else 'if(' ~ scale ~ ' < 0, 0, ' ~ scale ~ ')' -%}
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
    -- at most as many digits as PostgreSQL's longest: Java's time grows with their square
    when length({{ hex }}) between 2 and 122500 then
        aggregate(
            array(lpad(
                coalesce(if(length({{ hex }}) <= 36, {{ short }}, null), {{ _long_magnitude(hex, negative) }}),
                greatest({{ scale }} + 1, 40, 36 + length({{ hex }}) * 5 div 4), '0'
            )),
            cast(null as string),
            -- no regular expression finds the point: it would try each place of a long number with `scale` digits
            (none, digits) -> concat(
                if({{ negative }}, '-', ''),
                rtrim('.', concat(
                    coalesce(nullif(ltrim('0', left(digits, length(digits) - {{ fraction }})), ''), '0'),
                    '.',
                    right(digits, {{ fraction }})
                ))
            )
        )
end
{%- endmacro %}

{#
    The digits of a number of any length, given as hexadecimal two's complement: Java's own, since what
    Spark's functions could do takes minutes for a number of 100,000 digits.
#}
{% macro _long_magnitude(hex, negative) -%}
{%- set inverted = "translate(" ~ hex ~ ", '0123456789ABCDEF', 'FEDCBA9876543210')" -%}
{%- set short = "rtrim('F', " ~ inverted ~ ")" -%}
try_reflect(
                    'org.apache.commons.lang3.math.NumberUtils', 'createBigInteger',
                    concat('0x', if(
                        {{ negative }},
                        -- and one more
                        rpad(
                            concat(
                                left({{ short }}, length({{ short }}) - 1),
                                translate(right({{ short }}, 1), '0123456789ABCDE', '123456789ABCDEF')
                            ),
                            length({{ hex }}), '0'
                        ),
                        {{ hex }}
                    ))
                )
{%- endmacro %}
