{#
    A value of MongoDB as Extended JSON, relaxed or canonical: a plain scalar, or an object that names
    its type. Only that type's own value is one: a number is no date, and text no binary; but a text
    that reads as a number, `5`, is one, since it has lost its quotes.

    Arguments:
        text (string): an expression of type string.
        column (dictionary): a declared column, see declared_column(). As a string, ObjectId, UUID,
            numbers, dates and symbols are their plain text; anything else stays as it is.
#}
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
