{% macro decode_date(text, encoding, time_zone) -%}
{%- set plain = "case when " ~ text ~ " rlike r'^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}(Z|[ T:]00:00:00(\\.0+)?Z?)?\\z' then try_cast(left(" ~ text ~ ", 10) as date) end" -%}
{%- if encoding == 'epoch_days' -%}
coalesce(
    date_from_unix_date(case when try_cast({{ text }} as int) between -719162 and 2932896 then cast({{ text }} as int) end),
    {{ plain }}
)
{%- elif encoding == 'epoch_millis' -%}
coalesce(
    date_from_unix_date(case
        when try_cast({{ text }} as bigint) between -62135596800000 and 253402300799999
            then cast(floor(cast({{ text }} as bigint) / 86400000) as int)
    end),
    {{ plain }}
)
{%- elif encoding == 'epoch_millis_nanos' -%}
{%- set instant = epoch_instant(text, encoding, margin=86400000) -%}
{%- set day = "cast(from_utc_timestamp(" ~ instant ~ ", " ~ time_zone ~ ") as date)" -%}
coalesce(
    -- a day can begin at one o'clock, if a clock change skips the hour before
    case
        when year({{ day }}) between 1 and 9999
            and to_utc_timestamp(cast({{ day }} as timestamp), {{ time_zone }}) = {{ instant }}
            then {{ day }}
    end,
    {{ plain }}
)
{%- else -%}
{{ plain }}
{%- endif -%}
{%- endmacro %}
