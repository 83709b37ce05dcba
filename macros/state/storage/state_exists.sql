{% macro state_exists(state) -%}
{%- if 'states' not in run_notes() -%}
{%- set there = run_query('show tables in ' ~ state.schema).columns['tableName'].values() if adapter.check_schema_exists(none, state.schema) else [] -%}
{%- do run_notes().update({'states': there | list}) -%}
{%- endif -%}
{{ return(not should_full_refresh() and state.identifier | lower in run_notes().states) }}
{%- endmacro %}
