{#
    A current table: the state table (every key, deleted ones as tombstones, which
    remove_tombstones() may end) and the view of its live rows. The model's SQL, by changed_rows(),
    gives the keys that changed; one MERGE lays them over the state, and only where they are newer
    than what stands there, so that a late change is no change. The first run, and a full
    refresh, write the state table anew.

    dbt-spark's own incremental materialization knows no condition on `matched`, and would cost a
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
{%- if pending is not none and pending.state -%}
{{ remove_tombstones(state, plan.table, pending.batch) }}
{%- endif -%}
{#- one without a watermark may have failed its test when it was made -#}
{%- if pending is none or (pending.state and watermarks().get(watermark_key(state.identifier))) -%}
{%- do run_notes().merged.append(model.unique_id) -%}
{%- endif -%}
{{ run_hooks(post_hooks) }}
{{ return({'relations': [this.incorporate(type='view')]}) }}
{%- endmaterialization %}

{#
    The rows of a state that is written anew: without _present, which says what a merge overwrites.

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
