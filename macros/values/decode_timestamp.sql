{#
    An instant, with up to six digits of fractional seconds.

    Arguments:
        text (string): an expression of type string.
        encoding (string): text (`yyyy-MM-dd HH:mm:ss[.ffffff]` with a zone id, an offset or a Z
            behind it; without one, in the feed's zone); epoch_seconds (with a fraction),
            epoch_millis, epoch_micros, epoch_nanos, epoch_millis_nanos; epoch_seconds_or_millis (what is
            too much for seconds is epoch_millis_nanos). Text is understood by all of them.
        time_zone (string): an expression of type string, the feed's zone. Of an hour that a clock
            change doubles it is the first one; in one that it leaves out there is no time.
#}
{% macro decode_timestamp(text, encoding, time_zone) -%}
{%- set local = "try_cast(" ~ text ~ " as timestamp)" -%}
{%- set plain -%}
case
    when {{ text }} rlike r'^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6}0*)?)?)?\z'
        then case
            when {{ time_zone }} = 'UTC' then {{ local }}
            when from_utc_timestamp(to_utc_timestamp({{ local }}, {{ time_zone }}), {{ time_zone }}) = {{ local }}
                then to_utc_timestamp({{ local }}, {{ time_zone }})
        end
    when {{ text }} rlike r'^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6}0*)?)?\s?(Z|(?:GMT|UTC|UT)?[+-][0-9]{1,2}(?::?[0-9]{2}(?::[0-9]{2})?)?|[A-Za-z]+(/[A-Za-z_+-]+[0-9]*)*+)\z'
        then try_cast(regexp_replace({{ text }}, r'([+-][0-9]{2})([0-9]{2})\z', '$1:$2') as timestamp)
end
{%- endset -%}
{%- if encoding == 'text' -%}
{{ plain }}
{%- elif encoding == 'epoch_seconds_or_millis' -%}
coalesce(
    {{ epoch_instant(text, 'epoch_seconds') }},
    case
        when try_cast(substring_index({{ text }}, '.', 1) as bigint) > 253402300799
            then {{ epoch_instant(text, 'epoch_millis_nanos') }}
    end,
    {{ plain }}
)
{%- else -%}
coalesce({{ epoch_instant(text, encoding) }}, {{ plain }})
{%- endif -%}
{%- endmacro %}
