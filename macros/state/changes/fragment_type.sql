{% macro fragment_type() -%}
struct<text: string, known: array<string>>
{%- endmacro %}
