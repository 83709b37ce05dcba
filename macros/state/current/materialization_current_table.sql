{#
    A current table: the state table (every key, deleted ones as tombstones, which
    remove_tombstones() may remove) and the view of its live rows. The model's SQL, by changed_rows(),
    returns the keys that changed; one MERGE applies them to the state, only if they are newer than
    its rows, so that a late change changes nothing. The first run, and a full refresh, create the
    state table.

    dbt-spark's own incremental materialization has no condition on `matched`, and would need a
    second model for the view.
#}
{% materialization current_table, adapter='spark' -%}
{%- set plan = run_notes().plans[model.unique_id] -%}
{%- set state, pending = plan.state, plan.pending -%}
{%- set statement = none if pending is none
    else merge_changes(state, plan.table, sql, pending) if pending.state
    else _first_rows(plan.table, sql, pending) -%}
{{ run_hooks(pre_hooks) }}
{{ build_state(plan, statement) }}
{%- if pending is not none and pending.state and pending.batch -%}
{{ remove_tombstones(state, plan.table, pending.batch, pending.batch) }}
{%- endif -%}
{#- a table without a watermark may have failed its test when it was created -#}
{%- if pending is none or (pending.state and watermarks().get(watermark_key(state.identifier))) -%}
{%- do run_notes().merged.append(model.unique_id) -%}
{%- endif -%}
{{ run_hooks(post_hooks) }}
{{ return({'relations': [this.incorporate(type='view')]}) }}
{%- endmaterialization %}

{#
    The rows of a new state table: without _present, which tells a merge what to overwrite.

    Arguments:
        table (dictionary): the model's meta.
        rows (string): a select as changed_rows() gives it.
        pending (dictionary): see pending_changes().
#}
{% macro _first_rows(table, rows, pending) -%}
select
    _key,
    {{ sql_names(table.columns) | join(',\n    ') }},
    {{ undecodable_of_new_row(table.columns.keys()) if pending.partial_rows and table.key else '_undecodable' }} as _undecodable,
    {{ state_metadata() | join(',\n    ') }}
from (
{{ rows }}
)
{%- endmacro %}
