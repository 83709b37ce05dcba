{% macro create_state(state, table, pending, rows) -%}
{%- do check_feeds(table) -%}
{%- do run_query('create schema if not exists ' ~ state.schema) -%}
{%- call statement('main') -%}
create or replace table {{ state }}
using delta
tblproperties (
    -- so that columns of any name and type can be added later
    'delta.columnMapping.mode' = 'name',
    'delta.feature.timestampNtz' = 'supported',
    -- rows are not sorted, so statistics of other columns would skip nothing
    'delta.dataSkippingStatsColumns' = '_key,_batch',
    'changelake_compacted_at' = '{{ now_milliseconds() }}',
    {{ properties_text(pending.properties) }}
)
as
{{ rows }}
{%- endcall -%}
{%- endmacro %}
