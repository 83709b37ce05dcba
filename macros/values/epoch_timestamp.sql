{#
    An epoch time as TIMESTAMP, from a text of digits. Milliseconds; ten digits and fewer are read
    as seconds, as some producers write them in DDL messages (milliseconds would be before May 1970).

    Arguments:
        text (string): an expression of type string.

    Returns: a timestamp; null for null, for what is no integer, and outside of the years 1 to 9999.
#}
{% macro epoch_timestamp(text) -%}
timestamp_millis(
    case
        when try_cast({{ text }} as bigint) between -9999999999 and 9999999999 then try_cast({{ text }} as bigint) * 1000
        when try_cast({{ text }} as bigint) between -62135596800000 and 253402300799999 then try_cast({{ text }} as bigint)
    end
)
{%- endmacro %}
