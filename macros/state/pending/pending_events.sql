{% macro pending_events() -%}
{%- set events = events_model() -%}
{%- set pending = run_notes().pending -%}
{%- if events.name not in pending -%}
{%- set since = [] -%}
{%- for node in graph.nodes.values() if node.resource_type == 'model' and node.config.materialized in ('current_table', 'history_table') -%}
{%- set suffix = '__history' if node.config.materialized == 'history_table' else '' -%}
{%- set watermark = watermarks().get(watermark_key(node.alias ~ suffix)) -%}
{%- if watermark and watermark.events == events.name -%}
{%- do since.append(watermark.batch) -%}
{%- endif -%}
{%- endfor -%}
{%- set batches = [] -%}
{%- if since -%}
{%- for place, batch in run_query(
    'select to_json(array(feed, database_name, schema_name, table_name)), max(parse_batch) from ' ~ events.relation_name
    ~ ' where parse_batch > ' ~ since | min ~ ' group by feed, database_name, schema_name, table_name'
).rows -%}
{%- do batches.append(fromjson(place) + [batch | int]) -%}
{%- endfor -%}
{%- endif -%}
{%- set newest = batches | map(attribute=4) | list + since if since
    else [run_query('select max(parse_batch) from ' ~ events.relation_name).columns[0][0] or 0] -%}
{#- two of dbt's threads can be here at once: both use the first one's result -#}
{%- do pending.setdefault(events.name, {'newest': newest | max | int, 'batches': batches}) -%}
{%- endif -%}
{{ return(pending[events.name]) }}
{%- endmacro %}
