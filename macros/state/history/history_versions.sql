{#
    If all new changes of a key come after the known ones, only the last of those is needed. A key with
    late changes is recomputed from all of its changes.

    Every change keeps its row, even one that makes no version: a repeat, a delete, an image like
    the one before. Without it, a late change could not find its place.
#}
{% macro history_versions(events, table, state, pending) -%}
{%- set columns = declared_columns(table) -%}
{%- set key = key_of_table(table, columns) -%}
{%- set folds = table.key and pending.properties.has_partial -%}
{%- set document = document_column(table.columns) if folds else none -%}
{%- set repeats = pending.properties.has_positions -%}
{#- MongoDB changes no key -#}
{%- set moves = table.key and not document and columns | length > key | length -%}
{%- set undecodable = [] -%}
{%- for column in columns -%}
{%- do undecodable.append('(_text_' ~ loop.index ~ ' is not null' ~ (' or _is_unknown_' ~ loop.index if folds) ~ ')') -%}
{%- endfor -%}
{%- set in_order -%}
order by _epoch{% if pending.properties.was_spread %}, block{% endif %}, _kafka_offset, _leaves_key desc, _row_index, _row_change desc
{%- endset -%}
{%- set before = in_order ~ ' rows between unbounded preceding and 1 preceding' -%}
{%- set names = columns | map(attribute='name') | list -%}
{%- set shard = '_value_' ~ (names.index(table.shard) + 1) if table.shard else "''" -%}
{#- a row that is sent again after a repeated truncation belongs to its original epoch -#}
{%- set distinct = pending.truncations | rejectattr('is_repeat') | list -%}
{%- set epoch = '_epoch' if distinct | length == pending.truncations | length else times_truncated('_', distinct, shard) -%}
with {{ key_changes(events, table, columns, pending) }},

{{ typed_changes(table, columns, pending, document is not none) }},

{% if pending.state -%}
{{ known_changes(table, columns, state, pending, document is not none) }},

{% endif -%}
all_changes as (
    select
        * except (_epoch),
        {{ times_truncated('_', pending.truncations, shard) if pending.truncations else 0 }} as _epoch
    from (
        select * from typed_changes
        {%- if pending.state %}
        union all
        select * from known_changes
        {%- endif %}
    )
),

{% if pending.properties.was_spread -%}
{{ ordered_changes() }},

{% endif -%}
{{ repeated_changes('ordered_changes' if pending.properties.was_spread else 'all_changes', table, in_order, before, repeats, epoch) }},

{% if moves -%}
{{ void_changes(columns, key, before) }},

{% endif -%}
{% if document -%}
{{ patched_versions('repeated', document, columns, key, in_order) }},

{% elif folds -%}
{{ folded_versions('judged' if moves else 'repeated', columns, key, in_order) }},

{% endif -%}
{{ version_bounds('folded' if folds else 'judged' if moves else 'repeated', table, columns, pending, in_order, before, shard, folds) }}

select
    _key,
    {%- for column in columns %}
    _value_{{ loop.index }} as {{ sql_name(column.name) }},
    {%- endfor %}
    {{ undecodable_map(columns, undecodable) }} as _undecodable,
    case
        when not _is_boundary or coalesce(_row_count, _row_change) <= 0 then null
        when next._epoch = _epoch then next._valid_from
        {%- if pending.truncations %}
        else if(_epoch_end is null, null, greatest(_valid_from, _epoch_end))
        {%- endif %}
    end as _valid_to,
    {{ history_metadata() | reject('equalto', '_valid_to') | join(',\n    ') }}
from version_ends
{{- truncation_markers(columns, pending.truncations, history_metadata(), {
    '_operation': "'truncate'",
    '_row_change': -1,
    '_is_spread': 'false',
    '_is_boundary': 'false',
    '_is_last': 'false',
    '_batch': pending.batch,
}) }}
{%- endmacro %}
