{% macro table_plan(events) -%}
{%- set is_history = model.config.materialized == 'history_table' -%}
{%- set table = declared_table(model) -%}
{%- set state = state_table(this, '__history' if is_history else '') -%}
{%- if is_building() and not state_exists(state) -%}
{#- before events are queried, which do not exist for a format without a feed -#}
{%- do check_feeds(table) -%}
{%- endif -%}
{%- set view = state_view_definition(state, table, is_history) -%}
{%- set built = built_checksum(table, view) -%}
{%- set pending = none -%}
{%- set newest = pending_events().newest if is_building() else none -%}
{#- `dbt compile` shows the statement even if nothing is pending -#}
{%- set as_built = is_as_built(state, built) -%}
{%- if not is_building() or not as_built or has_pending_batch(state, table) -%}
{%- set pending = pending_versions(events, table, state) if is_history else pending_changes(events, table, state) -%}
{%- endif -%}
{%- set plan = {'table': table, 'state': state, 'view': view, 'built': built, 'is_as_built': as_built, 'newest': newest, 'pending': pending} -%}
{%- do run_notes().plans.update({model.unique_id: plan}) -%}
{{ return(plan) }}
{%- endmacro %}
