{#
    A row's image of a dialect that writes Avro: its columns by position, each value in a union of
    records, whose first five are Integer, Character, Decimal, Float and Timestamp.

    Arguments:
        names (string): an expression of type array<string>: the columns' names.
        values (string): an expression of type array<struct<member0: …>>: their values. The condition
            that both are of the same length has to hold where this is evaluated.
        others (list of [member, text]): of the other records the place in the union, null left out,
            and an SQL expression of type string over `value.member<n>` and `i`, the value's place.
        zero_timestamp (string): an expression of type string: the text of a Timestamp of 0 and 0.

    Returns: an expression of type map<string, string>.
#}
{% macro avro_image(names, values, others, zero_timestamp="'0'") -%}
map_from_arrays(
            {{ names }},
            transform({{ values }}, (value, i) -> case
                when value is null then null
                when value.member1 is not null
                    then {{ charset_text('value.member1.value', 'value.member1.charset') }}
                when value.member0 is not null then value.member0.value
                when value.member2 is not null then value.member2.value
                when value.member3 is not null then cast(value.member3.value as string)
                -- seconds; `millis` holds the microseconds of the second
                when value.member4.millis = 0
                    then if(value.member4.`timestamp` = 0, {{ zero_timestamp }}, cast(value.member4.`timestamp` as string))
                when value.member4 is not null
                    then cast(
                        cast(value.member4.`timestamp` as decimal(20, 0))
                        + cast(value.member4.millis as decimal(10, 0)) * 0.000001BD as string
                    )
                {%- for member, text in others %}
                when value.member{{ member }} is not null then {{ text }}
                {%- endfor %}
            end)
        )
{%- endmacro %}
