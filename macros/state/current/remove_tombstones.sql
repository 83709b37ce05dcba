{#
    Not without a key: there the rows of the last batch keep it from being counted twice.

    What a run has seen is in the rows that it wrote (see pending_batch()). If all of its changes were
    late, it wrote none, and the upkeep may remove those that it wrote: the next run would read them
    again, by then without the tombstones, and bring rows back. So one row that stays has the number of
    the newest batch.
#}
{% macro remove_tombstones(state, table, now, batch) -%}
{%- set days = table.get('tombstone_days') -%}
{%- if table.key and days is not none -%}
{%- set newest = run_query('select max(_batch) from ' ~ state).columns[0][0] -%}
{%- if newest is not none -%}
{%- set staying = none -%}
{%- if batch > newest or now > batch -%}
{%- set staying = sql_string(run_query('select max_by(_key, struct(not _is_deleted, _batch)) from ' ~ state).columns[0][0]) -%}
{%- set seen = [batch, newest] | max -%}
{%- call statement('seen') -%}
update {{ state }} set _batch = {{ seen }} where _key = {{ staying }} and _batch < {{ seen }}
{%- endcall -%}
{%- endif -%}
{%- call statement('tombstones') -%}
delete from {{ state }}
where _is_deleted and not ({{ is_truncation_marker() }}) and _batch < {{ now - days * 86400000 }}{{ ' and _key != ' ~ staying if staying }}
{%- endcall -%}
{%- endif -%}
{%- endif -%}
{%- endmacro %}
