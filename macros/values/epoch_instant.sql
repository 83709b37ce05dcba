{% macro epoch_instant(text, encoding, margin=0) -%}
{%- if encoding == 'epoch_millis_nanos' -%}
{#- a bare number that was read as a double, without the zeros at its end -#}
{%- set plain = "cast(case when " ~ text ~ " rlike r'^-?[1-9]\\.[0-9]{1,16}E(?:[7-9]|1[0-4])\\z' then try_cast(" ~ text ~ " as decimal(38, 9)) end as string)" -%}
coalesce(
    {{ _instant_of_millis(text, margin) }},
    case when contains({{ text }}, 'E') then {{ _instant_of_millis(plain, margin) }} end
)
{%- else -%}
{%- set scale = {'epoch_seconds': 0, 'epoch_millis': 3, 'epoch_micros': 6, 'epoch_nanos': 9}[encoding] -%}
{%- set micros = decimal_of_text(text, 'decimal(38, 9)') ~ " * " ~ (1000000 if scale == 0 else 1000 if scale == 3 else 1 if scale == 6 else '0.001BD') -%}
timestamp_micros(
    case
        when {{ micros }} between -62135596800000000 and 253402300799999999
            and {{ micros }} = floor({{ micros }})
            -- a plain cast would round more than nine digits
            and {{ decode_decimal(text, 'decimal(38,9)') }} is not null
            then cast({{ micros }} as bigint)
    end
)
{%- endif -%}
{%- endmacro %}

{# Milliseconds, and after a point the fraction of the second, unless it is only zeros. #}
{% macro _instant_of_millis(text, margin) -%}
{%- set millis = "try_cast(substring_index(" ~ text ~ ", '.', 1) as bigint)" -%}
{%- set micros = "try_cast(rpad(left(substring_index(" ~ text ~ ", '.', -1), 6), 6, '0') as bigint)" -%}
timestamp_micros(
    case
        when not {{ millis }} between {{ -62135596800000 - margin }} and {{ 253402300799999 + margin }} then null
        when {{ text }} rlike r'^-?[0-9]+(?:\.0{1,9})?\z' then {{ millis }} * 1000
        when {{ text }} rlike r'^(?:-?[1-9][0-9]*|0)\.[0-9]{1,6}0{0,3}\z'
            and pmod({{ millis }}, 1000) in (0, {{ micros }} div 1000)
            then ({{ millis }} - pmod({{ millis }}, 1000)) * 1000 + {{ micros }}
    end
)
{%- endmacro %}
