{% macro batch_columns(range) -%}
{{ range.batch }} as parse_batch,
    cast({{ range.version if range.version is not none else 'null' }} as bigint) as bronze_version
{%- endmacro %}
