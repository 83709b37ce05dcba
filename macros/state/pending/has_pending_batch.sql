{% macro has_pending_batch(state, table) -%}
{%- set last = watermarks()[watermark_key(state.identifier)].batch -%}
{%- set names = [table.get('database'), table.get('schema'), table.get('table')] -%}
{%- for feed, database, schema, name, batch in pending_events().batches -%}
{#- only Spark can match the names of shards -#}
{%- if batch > last and feed in table.feeds and (table.shards or [database, schema, name] == names) -%}
{{ return(true) }}
{%- endif -%}
{%- endfor -%}
{{ return(false) }}
{%- endmacro %}
