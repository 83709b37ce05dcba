{#
    Puts a table's small files together where that was last done some hours ago: each run leaves
    some. Delta's own auto compaction does so at each session's first write, and a scheduled run is a
    session of its own: it would write the same rows anew every time. To count the files would cost
    each run a reading of Delta's log.

    Of an incremental model's table that this run has made it notes when, as the property `changelake_built_at`: what
    state_properties() tells it by from the one that was there before.

    Arguments:
        relation (relation): a Delta table.
#}
{% macro compact(relation) -%}
{%- if execute -%}
{%- set last = table_properties(relation).get('changelake_compacted_at') -%}
{%- set now = now_milliseconds() -%}
{%- if not last or now - (last | int) >= var('changelake_compact_hours', 6) * 3600000 -%}
{#- one that is new has what one run wrote -#}
{%- if last -%}
{%- do optimize_table(relation) -%}
{%- endif -%}
{#- a lake of an earlier version has auto compaction -#}
{%- do run_query(
    'alter table ' ~ relation ~ " set tblproperties ('changelake_compacted_at' = '" ~ now
    ~ ("', 'changelake_built_at' = '" ~ now if model.unique_id in run_notes().made else "")
    ~ "', 'delta.autoOptimize.autoCompact' = 'false')"
) -%}
{%- endif -%}
{%- endif -%}
{%- endmacro %}
