{#
    Removes the rows of a state that a run has marked as deleted as many days ago as `tombstone_days`
    of the model's meta says; without it they stay. A late or repeated event of a removed one makes a
    new row. Of a table without a key nothing is removed: there the rows are what keeps a batch from
    being counted twice.

    Arguments:
        state (relation): the state table.
        table (dictionary): the model's meta.
        batch (integer): the parsing run that has just been merged, none if nothing came; see
            unread_range(): milliseconds of the epoch.
#}
{% macro remove_tombstones(state, table, batch) -%}
{%- set days = table.get('tombstone_days') -%}
{%- if batch and table.key and days is not none -%}
{%- call statement('tombstones') -%}
delete from {{ state }}
where _is_deleted and not ({{ is_truncation() }}) and _batch < {{ batch - days * 86400000 }}
{%- endcall -%}
{%- endif -%}
{%- endmacro %}
