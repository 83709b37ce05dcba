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
{#- in later runs too: another partition may lag behind, or a reject may be parsed again -#}
with {{ key_changes(events, table, columns, pending, without=is_before_truncation('', pending.truncations, 'shard')) }},

{{ last_changes(table, pending, columns, document) }},

{% if partial -%}
{{ folded_documents(pending, table, document, columns) if document else folded_changes(pending, table, columns) }},

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
    {{ 'last.is_move and (last.is_upsert or stayed is null)' if table.key else 'false' }} as _is_move,
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
{{- truncation_markers(columns, pending.truncations, state_metadata() + ['_present'], {
    '_is_move': 'false',
    '_row_count': 'null' if table.key else '0',
    '_is_deleted': 'true' if table.key else 'false',
    '_batch': pending.batch,
}) }}
{% endmacro %}
