{#
    An epoch time as TIMESTAMP, from a text of digits. Milliseconds; ten digits and fewer are read
    as seconds, as some producers write them in DDL messages (milliseconds would be before May 1970).

    Arguments:
        text (string): an expression of type string.

    Returns: a timestamp; null for null, for what is no integer, and beyond the year 9999.
#}
{% macro epoch_timestamp(text) -%}
timestamp_millis(
    case
        when abs(try_cast({{ text }} as decimal(20, 0))) < 10000000000 then try_cast({{ text }} as bigint) * 1000
        when abs(try_cast({{ text }} as decimal(20, 0))) < 253402300800000 then try_cast({{ text }} as bigint)
    end
)
{%- endmacro %}
