{#
    New events are split into changes of single keys, the last change of each key is chosen, partial
    images are laid over it in order, and only then are values decoded: once per key, not once per
    event.
#}
{% macro changed_rows(events, table, pending) %}
{%- set columns = declared_columns(table) -%}
{%- set partial = table.key and pending.partial_rows -%}
{%- set document = document_column(table.columns) if partial else none -%}
{%- set undecodable = [] -%}
{%- for column in columns -%}
{%- set is_unknown = ' or array_contains(unknown_columns, ' ~ sql_string(column.source) ~ ')' if partial else '' -%}
{%- do undecodable.append('(_text_' ~ loop.index ~ ' is not null and _value_' ~ loop.index ~ ' is null' ~ is_unknown ~ ')') -%}
{%- endfor -%}
{#- also in later runs: another partition may lag behind, or a reject be parsed again -#}
with {{ key_changes(events, table, columns, pending, without=is_before_truncation('', pending.truncations, 'shard')) }},

{{ 'last_by_partition' if pending.is_spread else 'last_by_key' }} as (
    select
        _key,
        {{ last_change(pending, table) }} as last,
        {%- if not table.key %}
        cast(sum(if(is_upsert, 1, -1)) as bigint) as row_count
        {%- else %}
        max_by({{ change_struct(pending, table) }}, {{ offset_order() }}) filter (where is_move and is_upsert) as moved_in,
        {{ 'max_by(' ~ position_order('', is_upsert='is_upsert') ~ ', ' ~ offset_order() ~ ')' if pending.is_spread else 'max(' ~ offset_order() ~ ')' }} filter (where is_upsert or not is_move) as stayed
        {%- if document %},
        collect_list({{ change_struct(pending, table) }}) filter (where is_upsert and is_partial) as partials
        {%- elif partial -%}
        {{ newest_parts(pending, table, columns) }}
        {%- endif %}
        {%- endif %}
    from {{ '(select *, struct(' ~ change_place(pending) ~ ') as at from changes)' if partial and not document else 'changes' }}
    group by _key{{ ', kafka_topic, kafka_partition' if pending.is_spread }}
),

{% if pending.is_spread -%}
-- a key change can leave a key's events in several partitions
last_by_key as (
    select
        _key,
        max_by(last, last.across_partitions) as last,
        {%- if not table.key %}
        sum(last_by_partition.row_count) as row_count
        {%- else %}
        max_by(moved_in, moved_in.across_partitions) as moved_in,
        max(stayed) as stayed
        {%- if document %},
        flatten(collect_list(partials)) as partials
        {%- elif partial %},
        max_by(newest_partial, newest_partial.across_partitions) as newest_partial
        {%- for column in columns %},
        max_by(_part_{{ loop.index }}, _part_{{ loop.index }}.at.across_partitions) as _part_{{ loop.index }}
        {%- endfor %}
        {%- endif %}
        {%- if partial %},
        count(*) = 1 as is_one_partition
        {%- endif %}
        {%- endif %}
    from last_by_partition
    group by _key
),

{% endif -%}
last_changes as (
    {%- if table.key %}
    select
        * except (last, moved_in),
        {{ staying_change(pending) }} as last
    from last_by_key
    {%- else %}
    select * from last_by_key
    where row_count != 0
    {%- endif %}
),

{% if partial -%}
{{ folded_documents(pending, table, document, columns) if document else folded_changes(pending, columns) }},

{% endif -%}
{{ decoded_images('folded' if partial else 'last_changes', columns, 'coalesce(last.gone, last.image)' if table.key else 'last.image', 'last.time_zone', kept=[
    '_key',
    'last',
    ('row_count' if not table.key else 'cast(null as bigint)') ~ ' as _row_count',
    ('present' if partial else 'cast(null as array<string>)') ~ ' as _present',
] + (['stayed'] if table.key else []) + (['unknown_columns'] if partial else []) + (['fragment'] if document else [])) }}

select
    _key,
    {%- for column in columns %}
    _value_{{ loop.index }} as {{ sql_name(column.name) }},
    {%- endfor %}
    {{ undecodable_map(columns, undecodable) }} as _undecodable,
    last.committed_at as _committed_at,
    last.changed_at as _changed_at,
    last.captured_at as _captured_at,
    last.message_number as _message_number,
    last.feed as _feed,
    last.kafka_topic as _kafka_topic,
    last.kafka_partition as _kafka_partition,
    last.kafka_offset as _kafka_offset,
    last.source_position as _source_position,
    _row_count,
    {{ 'false' if not table.key else 'not last.is_upsert' }} as _is_deleted,
    cast({{ pending.batch or 0 }} as bigint) as _batch,
    {{ 'fragment' if document else 'cast(null as ' ~ fragment_type() ~ ')' }} as _fragment,
    {{ 'last.gone is not null and stayed is null' if table.key else 'false' }} as _is_move,
    {%- if partial %}
    case when _present is not null then filter(array(
        {%- for column in columns %}
        if({{ holds_column('_present', column) }}, {{ sql_string(column.name) }}, null){{ '' if loop.last else ',' }}
        {%- endfor %}
    ), name -> name is not null) end as _present
    {%- else %}
    _present
    {%- endif %}
from decoded
{{- truncation_rows(columns, pending.truncations, state_metadata() + ['_is_move', '_present'], {
    '_is_move': 'false',
    '_row_count': 'null' if table.key else '0',
    '_is_deleted': 'true' if table.key else 'false',
    '_batch': pending.batch,
}) }}
{% endmacro %}
