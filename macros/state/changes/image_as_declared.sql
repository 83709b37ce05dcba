{% macro image_as_declared(image, others) -%}
{%- if not others -%}
{{ image }}
{%- else -%}
case column_types
            {%- for one in others %}
            when {{ sql_string(one.types) }} then transform_values({{ image }}, (name, value) -> case name
                {%- for column in one.columns %}
                when {{ sql_string(column.source) }} then {{ _respelled('value', column) }}
                {%- endfor %}
                else value
            end)
            {%- endfor %}
            else {{ image }}
        end
{%- endif -%}
{%- endmacro %}

{# The plain text of a value, or a list of the plain texts of its elements. #}
{% macro _respelled(text, column) -%}
{%- set element = element_type(column.type) -%}
{%- set plain = 'to_json(transform(' ~ json_value(text, 'array<string>') ~ ', element -> ' ~ _respelled('element', dict(column, type=element)) ~ '))' if element else _plain_text(text, column) -%}
coalesce({{ plain }}, concat({{ text }}, ' ', {{ sql_string(column.sent.encoding) }}))
{%- endmacro %}

{#
    A text that decodes to the value as declared: a number with a point where that tells it from Base64,
    else without one if it is whole; an instant as the time in the feed's zone; and a time as UTC, if the
    declared epoch numbers are.
#}
{% macro _plain_text(text, column) -%}
{%- set value = decode(text, column.sent) -%}
{%- set plain = 'cast(' ~ value ~ ' as string)' -%}
{%- if column.sent.type == 'timestamp' -%}
cast(from_utc_timestamp({{ value }}, time_zone) as string)
{%- elif column.encoding.startswith('bits') and column.type == 'string' -%}
concat("B'", {{ value }}, "'")
{%- elif column.sent.type == 'binary' -%}
try_validate_utf8({{ plain }})
{%- elif column.type == 'timestamp' and column.encoding.startswith('epoch_') -%}
concat({{ plain }}, 'Z')
{%- elif column.encoding.split('(')[0] in ('base64_unscaled', 'base64_struct', 'bits', 'big_endian_bits') -%}
concat({{ plain }}, if(contains({{ plain }}, '.'), '', '.'))
{%- elif column.sent.encoding.startswith('base64_') and column.type != 'string' -%}
if(contains({{ plain }}, '.'), rtrim('.', rtrim('0', {{ plain }})), {{ plain }})
{%- else -%}
{{ plain }}
{%- endif -%}
{%- endmacro %}
