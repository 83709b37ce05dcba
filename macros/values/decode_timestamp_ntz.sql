{% macro decode_timestamp_ntz(text, encoding, time_zone) -%}
{%- set plain -%}
case
    when {{ text }} rlike r'^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}([ T:][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6}0*)?)?Z?)?\z'
        then try_cast(overlay({{ text }} placing ' ' from 11) as timestamp_ntz)
    when {{ text }} rlike r'^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6}0*)? ((?![ABPabp][CDMcdm]\z)[A-Za-z]\S*|[+-][0-9]{2}:?[0-9]{2}(?::[0-9]{2})?)\z'
        then try_cast(substring_index({{ text }}, ' ', 2) as timestamp_ntz)
end
{%- endset -%}
{%- if encoding == 'text' -%}
{{ plain }}
{%- elif encoding == 'epoch_millis_nanos' -%}
{%- set local = "cast(from_utc_timestamp(" ~ epoch_instant(text, encoding, margin=86400000) ~ ", " ~ time_zone ~ ") as timestamp_ntz)" -%}
coalesce(case when year({{ local }}) between 1 and 9999 then {{ local }} end, {{ plain }})
{%- else -%}
coalesce(cast({{ epoch_instant(text, encoding) }} as timestamp_ntz), {{ plain }})
{%- endif -%}
{%- endmacro %}
