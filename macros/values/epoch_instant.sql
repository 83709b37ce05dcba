{#
    The instant of an epoch number, to the microsecond; null where the text is no number, lies
    outside of the years 1 to 9999, or has digits beyond the microsecond.

    Arguments:
        text (string): an expression of type string.
        encoding (string): epoch_seconds (a fraction is allowed), epoch_millis, epoch_micros or
            epoch_nanos.
#}
{% macro epoch_instant(text, encoding) -%}
{%- set scale = {'epoch_seconds': 0, 'epoch_millis': 3, 'epoch_micros': 6, 'epoch_nanos': 9}[encoding] -%}
{%- set micros = "try_cast(" ~ text ~ " as decimal(38, 9)) * " ~ (1000000 if scale == 0 else 1000 if scale == 3 else 1 if scale == 6 else '0.001BD') -%}
timestamp_micros(
    case
        when {{ micros }} between -62135596800000000 and 253402300799999999
            and {{ micros }} = floor({{ micros }})
            then cast({{ micros }} as bigint)
    end
)
{%- endmacro %}
