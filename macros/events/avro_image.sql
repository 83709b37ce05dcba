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
