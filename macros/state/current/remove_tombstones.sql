{#
    Not without a key: there the rows of the last batch keep it from being counted twice.

    What a run has seen is in the rows that it wrote (see pending_batch()). A run whose changes were all
    late writes none, and the next one reads them again, which without the tombstones would bring rows
    back: so one row takes the batch's number.
#}
{% macro remove_tombstones(state, table, now, batch) -%}
{%- set days = table.get('tombstone_days') -%}
{%- if table.key and days is not none -%}
{%- set newest = run_query('select max(_batch) from ' ~ state).columns[0][0] -%}
{%- if newest is not none -%}
{%- if batch > newest -%}
{%- set key = run_query('select max_by(_key, struct(not _is_deleted, _batch)) from ' ~ state).columns[0][0] -%}
{%- call statement('seen') -%}
update {{ state }} set _batch = {{ batch }} where _key = {{ sql_string(key) }}
{%- endcall -%}
{%- endif -%}
{%- call statement('tombstones') -%}
delete from {{ state }}
where _is_deleted and not ({{ is_truncation() }}) and _batch < {{ [now - days * 86400000, batch] | min }}
{%- endcall -%}
{%- endif -%}
{%- endif -%}
{%- endmacro %}
