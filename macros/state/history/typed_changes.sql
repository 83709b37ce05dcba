{#
    If there are patches, all images are decoded after the patches are applied. Epochs need the shard
    before that.
#}
{% macro typed_changes(table, columns, pending, folds_documents) -%}
{%- set document = document_column(table.columns) if table.key else none -%}
{% if not folds_documents -%}
{{ decoded_images('changes', columns, 'image', 'time_zone', kept=['changes.*']) }},

{% endif -%}
typed_changes as (
    select
        _key,
        {%- for column in columns %}
        {%- if folds_documents %}
        {{ 'shard' if column.name == table.shard else 'cast(null as ' ~ column.type ~ ')' }} as _value_{{ loop.index }},
        cast(null as string) as _text_{{ loop.index }},
        {%- else %}
        _value_{{ loop.index }},
        if(_value_{{ loop.index }} is null, _text_{{ loop.index }}, null) as _text_{{ loop.index }},
        {%- endif %}
        {%- endfor %}
        cast(null as timestamp) as _valid_to,
        row_operation as _operation,
        cast(null as timestamp) as _valid_from,
        committed_at as _committed_at,
        feed as _feed,
        kafka_topic as _kafka_topic,
        kafka_partition as _kafka_partition,
        kafka_offset as _kafka_offset,
        cast(null as bigint) as _row_count,
        source_position as _source_position,
        row_index as _row_index,
        if(is_upsert, 1, -1) as _row_change,
        leaves_first as _leaves_key,
        is_move as _is_move,
        if(is_upsert and is_partial, map_keys(image), null) as _present,
        {{ changed_at() }} as _changed_at,
        captured_at as _captured_at,
        message_number as _message_number,
        if(source_position is null, null, xxhash64({{ mask_salt() ~ ', ' if columns | selectattr('mask') | list }}map_keys(image), map_values(image))) as _content,
        cast(null as array<decimal(38, 0)>) as _last_position,
        false as _is_spread,
        cast(null as boolean) as _is_boundary,
        cast(null as boolean) as _is_last,
        cast(null as bigint) as _sequence,
        cast(null as int) as _epoch,
        cast({{ pending.batch or 0 }} as bigint) as _batch,
        {{ "if(is_upsert and is_partial, image[" ~ sql_string(document.source) ~ "], null)" if document else 'cast(null as string)' }} as _patch,
        cast(null as {{ fragment_type() }}) as _fragment,
        false as is_settled,
        cast(null as array<string>) as unknown_columns
        {%- if folds_documents %},
        image,
        time_zone
        {%- endif %}
    from {{ 'changes' if folds_documents else 'decoded' }}
)
{%- endmacro %}
