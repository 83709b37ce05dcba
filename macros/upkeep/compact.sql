{#
    Delta's own auto compaction runs at each session's first write, and a scheduled run is a
    session of its own: it would rewrite the same rows every time. Counting the files would cost
    each run a read of Delta's log.

    If this run created the table of an incremental model, its time is recorded as the property
    `changelake_built_at`, by which state_properties() tells it from the former table.
#}
{% macro compact(relation, compacted_at=none) -%}
{%- if execute -%}
{%- set last = table_properties(relation).get('changelake_compacted_at') if compacted_at is none else compacted_at -%}
{%- set now = now_milliseconds() -%}
{%- if not last or now - (last | int) >= var('changelake_compact_hours', 6) * 3600000 -%}
{#- a new table has the files of one run only -#}
{%- if last -%}
{%- do optimize_table(relation) -%}
{%- endif -%}
{#- tables from an earlier version of the project have auto compaction -#}
{%- do run_query(
    'alter table ' ~ relation ~ " set tblproperties ('changelake_compacted_at' = '" ~ now
    ~ ("', 'changelake_built_at' = '" ~ now if model.unique_id in run_notes().made else "")
    ~ "', 'delta.autoOptimize.autoCompact' = 'false')"
) -%}
{%- endif -%}
{%- endif -%}
{%- endmacro %}
