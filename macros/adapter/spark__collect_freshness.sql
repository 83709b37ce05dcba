{% macro spark__collect_freshness(source, loaded_at_field, filter) -%}
{%- set fed = (listed_feeds() or {}).values() | map(attribute='format') | list -%}
{%- set has_table = adapter.get_relation(none, source.schema, source.identifier) is not none -%}
{%- if source.identifier not in formats() or (source.identifier in fed and has_table) -%}
{{ return(dbt.default__collect_freshness(source, loaded_at_field, filter)) }}
{%- endif -%}
{%- call statement('collect_freshness', fetch_result=True) -%}
select
    {{ 'cast(null as timestamp)' if source.identifier in fed else 'current_timestamp()' }} as max_loaded_at,
    current_timestamp() as snapshotted_at
{%- endcall -%}
{{ return(load_result('collect_freshness')) }}
{%- endmacro %}
