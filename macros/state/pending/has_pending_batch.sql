{% macro has_pending_batch(state, table, built) -%}
{%- set watermark = watermarks().get(watermark_key(state.identifier)) -%}
{%- if should_full_refresh() or not watermark or watermark.built != built or not load_cached_relation(this) or not state_exists(state) -%}
{{ return(true) }}
{%- endif -%}
{%- set names = [table.get('database'), table.get('schema'), table.get('table')] -%}
{%- for feed, database, schema, name, batch in pending_events().batches -%}
{#- Spark alone matches the names of shards -#}
{%- if batch > watermark.batch and feed in table.feeds and (table.shards or [database, schema, name] == names) -%}
{{ return(true) }}
{%- endif -%}
{%- endfor -%}
{{ return(false) }}
{%- endmacro %}
