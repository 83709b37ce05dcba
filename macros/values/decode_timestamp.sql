{% macro decode_timestamp(text, encoding, time_zone) -%}
{%- set spaced = "overlay(" ~ text ~ " placing ' ' from 11)" -%}
{%- set local = "try_cast(" ~ spaced ~ " as timestamp)" -%}
{%- set zoned = "try_cast(regexp_replace(" ~ spaced ~ ", r'([+-][0-9]{2})([0-9]{2})\\z', '$1:$2') as timestamp)" -%}
{%- set zone = "regexp_extract(" ~ spaced ~ ", r'^[0-9 :.-]*+([A-Za-z][A-Za-z0-9+/_-]*+)\\z', 1)" -%}
{%- set wall_clock = "try_cast(rtrim(left(" ~ spaced ~ ", length(" ~ text ~ ") - length(" ~ zone ~ "))) as timestamp)" -%}
{%- set plain -%}
case
    when {{ text }} rlike r'^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}([ T:][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6}0*)?)?)?\z'
        then case
            when {{ time_zone }} = 'UTC' then {{ local }}
            when {{ _is_beyond(text, 'to_utc_timestamp(' ~ local ~ ', ' ~ time_zone ~ ')') }} then null
            when from_utc_timestamp(to_utc_timestamp({{ local }}, {{ time_zone }}), {{ time_zone }}) = {{ local }}
                then to_utc_timestamp({{ local }}, {{ time_zone }})
        end
    when {{ text }} rlike r'^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}[ T:][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6}0*)?)?\s?(Z|(?:GMT|UTC|UT)?[+-][0-9]{1,2}(?::?[0-9]{2}(?::[0-9]{2})?)?|[A-Za-z][A-Za-z0-9+-]*+(/[A-Za-z0-9_+-]++)*+)\z'
        then case
            when {{ _is_beyond(text, zoned) }} then null
            when {{ zone }} = '' then {{ zoned }}
            -- Java takes BST for Dhaka, and IST for Kolkata; CST and PST are Oracle's regions, as they are Java's
            when {{ zone }} in ('ACT', 'AET', 'AGT', 'ART', 'AST', 'BET', 'BST', 'CNT', 'CTT', 'ECT', 'IET', 'IST', 'MIT', 'NET', 'NST', 'PLT', 'PNT', 'PRT', 'SST', 'VST') then null
            -- a clock change in a named zone can skip this time
            when from_utc_timestamp({{ zoned }}, {{ zone }}) = {{ wall_clock }} then {{ zoned }}
        end
end
{%- endset -%}
{%- if encoding == 'text' -%}
{{ plain }}
{%- elif encoding == 'located' -%}
{%- set value, location = ["get_json_object(" ~ text ~ ", '$.value')", "get_json_object(" ~ text ~ ", '$.location')"] -%}
{{ decode_timestamp("if(startswith(" ~ text ~ ", '{'), concat(" ~ value ~ ", ' ', " ~ location ~ "), " ~ text ~ ")", 'text', time_zone) }}
{%- elif encoding == 'epoch_seconds_or_millis' -%}
coalesce(
    {{ epoch_instant(text, 'epoch_seconds') }},
    case
        when try_cast({{ text }} as double) > 253402300799
            then {{ epoch_instant(text, 'epoch_millis_nanos') }}
    end,
    {{ plain }}
)
{%- else -%}
coalesce({{ epoch_instant(text, encoding) }}, {{ plain }})
{%- endif -%}
{%- endmacro %}

{# Whether an instant is outside of the years 1 to 9999, as a zone can cause on their first and last day. #}
{% macro _is_beyond(text, instant) -%}
left({{ text }}, 10) in ('0001-01-01', '9999-12-31') and not unix_micros({{ instant }}) between -62135596800000000 and 253402300799999999
{%- endmacro %}
