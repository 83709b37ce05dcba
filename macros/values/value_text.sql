{% macro value_text(value, column) -%}
{%- set element = element_type(column.type) -%}
{%- if element -%}
to_json(transform({{ value }}, element -> {{ value_text('element', dict(column, type=element)) }}))
{%- elif column.type.startswith('map<') or column.type.startswith('struct<') -%}
to_json({{ comparable_value(value, column) }})
{%- elif column.type == 'variant' -%}
to_json({{ value }})
{%- else -%}
{{ 'hex(' ~ value ~ ')' if column.type == 'binary' else value if column.type == 'string' else 'cast(' ~ value ~ ' as string)' }}
{%- endif -%}
{%- endmacro %}
