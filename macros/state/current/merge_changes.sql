{% macro merge_changes(state, table, changes, pending) -%}
{%- set columns = table.columns.keys() | list -%}
{%- set metadata = state_metadata() -%}
{%- set partial = table.key and pending.partial_rows -%}
{%- set before_truncation = is_before_truncation('old._', pending.truncations | selectattr('is_new') | list, 'old.' ~ sql_name(table.shard or '')) -%}
merge into {{ state }} as old
using (
{{ changes if table.key else _counted_once(state, changes, pending) }}
) as new
on old._key = new._key
{{ _merge_rows(table, pending, before_truncation) if table.key else _merge_counts(pending, before_truncation) }}
{#- a row that came and went leaves nothing; a truncation's marker counts none either #}
when not matched{{ ' and (new._row_count != 0 or ' ~ is_truncation_marker('new.') ~ ')' if not table.key }} then insert (
    _key,
    {%- for name in columns %}
    {{ sql_name(name) }},
    {%- endfor %}
    _undecodable,
    {{ metadata | join(',\n    ') }}
) values (
    new._key,
    {%- for name in columns %}
    new.{{ sql_name(name) }},
    {%- endfor %}
    {{ undecodable_of_new_row(columns, 'new.') if partial else 'new._undecodable' }},
    new.{{ metadata | join(',\n    new.') }}
)
{%- if pending.is_truncated_now %}
when not matched by source and not old._is_deleted and ({{ before_truncation }}) then update set
    old._is_deleted = true,
    old._row_count = 0,
    old._batch = {{ pending.batch }}
{%- endif %}
{%- endmacro %}

{# With a key, the newer change replaces the row; a partial image keeps the columns that it does not hold. #}
{% macro _merge_rows(table, pending, before_truncation) -%}
{%- set columns = table.columns.keys() | list -%}
{%- set metadata = state_metadata() -%}
{%- set declared = declared_columns(table) -%}
{%- set new_values, old_values = [], [] -%}
{%- for column in declared | reject('in', key_of_table(table, declared)) -%}
{%- do new_values.append(comparable_value('new.' ~ sql_name(column.name), column)) -%}
{%- do old_values.append(comparable_value('old.' ~ sql_name(column.name), column)) -%}
{%- endfor -%}
{#- nothing of a deleted row is kept: its key now belongs to another row -#}
{%- set is_gone = '(old._is_deleted or ' ~ before_truncation ~ ')' if pending.is_truncated_now else 'old._is_deleted' -%}
{#- a change that is here came after the truncation: see key_changes() -#}
when matched and {{ '(' ~ is_truncated_row('old', table, pending) ~ ' or ' ~ _is_newer_row() ~ ')' if pending.truncations else _is_newer_row() }}
{%- if new_values %}
-- see staying_change(): the row that left is not the one that an earlier run merged at the same moment
and not coalesce(
    new._is_move and new._is_deleted and old._is_move and not old._is_deleted and {{ is_one_moment('new._', 'old._') }}
    and not struct({{ new_values | join(', ') }}) <=> struct({{ old_values | join(', ') }}),
    false
)
{%- endif %} then update set
    {%- for name in columns %}
    {%- set column = sql_name(name) %}
    {%- if pending.partial_rows %}
    old.{{ column }} = if(new._present is null or {{ is_gone }} or array_contains(new._present, {{ sql_string(name) }}), new.{{ column }}, old.{{ column }}),
    {%- else %}
    old.{{ column }} = new.{{ column }},
    {%- endif %}
    {%- endfor %}
    {%- if pending.partial_rows %}
    old._undecodable = case
        when {{ is_gone }} then {{ undecodable_of_new_row(columns, 'new.') }}
        when new._present is null or old._undecodable is null then new._undecodable
        else get(filter(
            array(map_concat(
                map_filter(old._undecodable, (name, text) -> not array_contains(new._present, name)),
                coalesce(new._undecodable, cast(map() as map<string, string>))
            )),
            texts -> size(texts) > 0
        ), 0)
    end,
    {%- else %}
    old._undecodable = new._undecodable,
    {%- endif %}
    {%- for name in metadata %}
    old.{{ name }} = new.{{ name }}{{ '' if loop.last else ',' }}
    {%- endfor %}
{%- endmacro %}

{# Without a key, equal rows are counted. #}
{% macro _merge_counts(pending, before_truncation) -%}
{%- set old_count = 'if(' ~ before_truncation ~ ', 0, old._row_count)' if pending.is_truncated_now else 'old._row_count' -%}
{%- set row_count = 'new._row_count + ' ~ old_count -%}
-- the place of the last change tells whether a late truncation came after it
when matched and {{ _is_newer_row() }} then update set
    {%- for name in state_metadata() %}
    old.{{ name }} = {{ row_count if name == '_row_count' else 'new.' ~ name }}{{ '' if loop.last else ',' }}
    {%- endfor %}
when matched then update set
    -- a row that a truncation had removed counts again
    old._is_deleted = new._is_deleted,
    old._row_count = {{ row_count }},
    old._batch = new._batch
{%- endmacro %}

{#
    A row count is incremented, not replaced, so a batch must count only once: the merge also writes
    the batch's number, and adds nothing if another run, or a statement that outlived its client, has
    merged a batch since this run looked.
#}
{% macro _counted_once(state, changes, pending) -%}
select batch_changes.*
from (
{{ changes }}
) as batch_changes
-- a MERGE may not query its own table in a subquery
cross join (select count(*) as later_rows from {{ state }} where _batch > {{ pending.since }}) as later
where later.later_rows = 0
{%- endmacro %}

{% macro _is_newer_row() -%}
{{ is_newer_change('new._', 'old._', new_is_upsert='not new._is_deleted', old_is_upsert='not old._is_deleted') }}
{%- endmacro %}
