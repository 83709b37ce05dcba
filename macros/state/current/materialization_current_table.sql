{#
    A current table: the state table (every key, deleted ones as tombstones, which
    remove_tombstones() may end) and the view of its live rows. The model's SQL, by rebuild_table(),
    gives the keys that changed; one MERGE lays them over the state, and only where they are newer
    than what stands there, so that a late change is no change. The first run, and a full
    refresh, write the state table anew.

    dbt-spark's own incremental materialization knows no condition on `matched`, and would cost a
    second model for the view.
#}
{% materialization current_table, adapter='spark' -%}
{%- set table = config.get('meta') -%}
{%- set state = state_table(this) -%}
{%- set view = state_view_definition(state, table, [], 'not _is_deleted' if table.key else '_row_count > 0') -%}
{%- set built = built_checksum(table, view) -%}
{{ run_hooks(pre_hooks) }}
{%- if has_pending_batch(state, table, built) -%}
{%- set pending = pending_changes(sql, table, state) -%}
{%- if pending.state -%}
{{ update_state(state, table, pending, merge_changes(state, table, rebuild_table(sql, table, pending), pending) if pending.batch) }}
{{ remove_tombstones(state, table, pending.batch) }}
{#- one without a watermark may have failed its test when it was made -#}
{%- if watermarks().get(watermark_key(state.identifier)) -%}
{%- do run_notes().merged.append(model.unique_id) -%}
{%- endif -%}
{%- else -%}
{{ create_state(state, table, pending, _first_rows(table, rebuild_table(sql, table, pending), pending)) }}
{%- endif -%}
{{ state_view(table, view) }}
{{ compact(state) if pending.batch }}
{%- else -%}
{%- call noop_statement('main', 'nothing new') -%}{%- endcall -%}
{%- do run_notes().merged.append(model.unique_id) -%}
{%- endif -%}
{{ run_hooks(post_hooks) }}
{%- do note_watermark(state, built) -%}
{{ return({'relations': [this.incorporate(type='view')]}) }}
{%- endmaterialization %}

{#
    The rows of a state that is written anew: without _present, which says what a merge overwrites.

    Arguments:
        table (dictionary): the model's meta.
        rows (string): a select as rebuild_table() gives it.
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
