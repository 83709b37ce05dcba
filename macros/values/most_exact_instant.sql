{% macro most_exact_instant(millis, micros, nanos) -%}
timestamp_micros(nullif(
    case
        when try_cast({{ micros }} as bigint) between -62135596800000000 and 253402300799999999
            then try_cast({{ micros }} as bigint)
        when try_cast({{ nanos }} as bigint) is not null then try_cast({{ nanos }} as bigint) div 1000
        when try_cast({{ millis }} as bigint) between -62135596800000 and 253402300799999
            then try_cast({{ millis }} as bigint) * 1000
    end,
    0
))
{%- endmacro %}
