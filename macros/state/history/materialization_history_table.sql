{#
    A history table: the table of versions in the schema `state`, and the view of them. The model
    names its current model, whose declaration applies here too: `meta: {'current': '<model>'}`. Its SQL,
    by history_versions(), returns the versions that one MERGE applies to the table. The first run, and a
    full refresh, create the table.
#}
{% materialization history_table, adapter='spark' -%}
{%- set plan = run_notes().plans[model.unique_id] -%}
{%- set has_state = plan.pending is not none and plan.pending.state -%}
{{ run_hooks(pre_hooks) }}
{{ build_state(plan, merge_versions(plan.state, plan.table.columns.keys() | list, sql) if has_state else sql) }}
{{ run_hooks(post_hooks) }}
{{ return({'relations': [this.incorporate(type='view')]}) }}
{%- endmaterialization %}
