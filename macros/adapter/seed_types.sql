{% macro seed_types(model, agate_table) -%}
{%- set types = [] -%}
{%- for name in agate_table.column_names -%}
{%- do types.append(model['config'].get('column_types', {}).get(name, adapter.convert_type(agate_table, loop.index0))) -%}
{%- endfor -%}
{{ return(types) }}
{%- endmacro %}
