{% macro decode_extended_json(text, column) -%}
{%- set base = column.type.split('(')[0] -%}
{%- if base in ('date', 'timestamp', 'timestamp_ntz') -%}
case
    when {{ text }} like '{"$date":%'
        then {{ decode(extended_json_scalar(text, ['date']), dict(column, encoding='epoch_millis')) }}
end
{%- elif base == 'binary' -%}
case when {{ text }} like '{"$binary":%"base64":"%' then try_to_binary(regexp_extract({{ text }}, '"base64":"([^"]*)"', 1), 'base64') end
{%- elif base == 'string' -%}
{{ extended_json_scalar(text, ['oid', 'uuid', 'numberInt', 'numberLong', 'numberDouble', 'numberDecimal', 'date', 'symbol']) }}
{%- else -%}
{{ decode(extended_json_scalar(text, ['numberInt', 'numberLong', 'numberDouble', 'numberDecimal']), dict(column, encoding='text' if base == 'decimal' else 'exact')) }}
{%- endif -%}
{%- endmacro %}
