{#
    A history table: the table of versions in the schema `state`, and the view of them. The model
    names its current model, whose declaration counts here too: `meta: {'current': '<model>'}`. The
    first run, and a full refresh, write the versions anew.
#}
{% materialization history_table, adapter='spark' -%}
{%- set table = declared_table(model) -%}
{%- if document_column(table.columns) -%}
{{ exceptions.raise_compiler_error(model.name ~ ": versions of documents that come as patches are not there yet; remove this model") }}
{%- endif -%}
{%- set state = state_table(this, '__history') -%}
{%- set view = state_view_definition(
    state,
    table,
    ['_operation', '_valid_from', '_valid_to', '_valid_to is null as _is_current'],
    '_is_boundary and coalesce(_row_count, _row_change) > 0'
) -%}
{%- set built = built_checksum(table, view) -%}
{{ run_hooks(pre_hooks) }}
{%- if has_pending_batch(state, table, built) -%}
{%- set pending = pending_versions(sql, table, state) -%}
{%- if pending.state -%}
{{ update_state(state, table, pending, merge_versions(state, table.columns.keys() | list, history_versions(sql, table, state, pending)) if pending.batch) }}
{%- else -%}
{{ create_state(state, table, pending, history_versions(sql, table, state, pending)) }}
{%- endif -%}
{{ state_view(table, view) }}
{{ compact(state) if pending.batch }}
{%- else -%}
{%- call noop_statement('main', 'nothing new') -%}{%- endcall -%}
{%- endif -%}
{{ run_hooks(post_hooks) }}
{%- do note_watermark(state, built) -%}
{{ return({'relations': [this.incorporate(type='view')]}) }}
{%- endmaterialization %}
