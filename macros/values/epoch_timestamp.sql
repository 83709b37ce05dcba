{#
    Some producers write seconds in DDL messages; ten digits of milliseconds would be before May
    1970.
#}
{% macro epoch_timestamp(text) -%}
timestamp_millis(
    case
        when try_cast({{ text }} as bigint) between -9999999999 and 9999999999 then try_cast({{ text }} as bigint) * 1000
        when try_cast({{ text }} as bigint) between -62135596800000 and 253402300799999 then try_cast({{ text }} as bigint)
    end
)
{%- endmacro %}
