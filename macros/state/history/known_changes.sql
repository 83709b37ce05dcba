{% macro known_changes(table, columns, state, pending, folds_documents) -%}
{%- set late = 'true' if pending.is_rewrite else 'reached.is_late' -%}
{#- rows of an earlier version of the project do not tell -#}
{%- set leaves_key = 'coalesce(old._leaves_key, old._row_change < 0)' -%}
touched as (
    select
        _key,
        min({{ offset_order() }}) as first_offset,
        min(struct(kafka_topic, kafka_partition)) as first_partition,
        max(struct(kafka_topic, kafka_partition)) as last_partition,
        min({{ position_numbers('source_position') }}) as first_position,
        min({{ changed_at() }}) as first_changed_at
    from changes
    group by _key
),

-- the last change of each key that the new ones touch
reached as (
    select
        old._key,
        touched.first_changed_at,
        -- qualified, since a source may have columns with these names
        touched.first_offset is not null and (
            old._is_spread
            or touched.first_partition != touched.last_partition
            or touched.first_partition != struct(old._kafka_topic, old._kafka_partition)
            or touched.first_offset <= struct(old._kafka_offset, not {{ leaves_key }}, old._row_index, old._row_change < 0)
            or coalesce(touched.first_position <= old._last_position, false)
        ) as is_late
    from {{ state }} as old
    {{ 'left' if pending.has_truncations else 'inner' }} join touched on old._key = touched._key
    where old._is_last
),

known_changes as (
    select
        old._key,
        {%- for column in columns %}
        old.{{ sql_name(column.name) }} as _value_{{ loop.index }},
        old._undecodable[{{ sql_string(column.name) }}] as _text_{{ loop.index }},
        {%- endfor %}
        {%- for name in history_metadata() %}
        {%- if name in ('_valid_to', '_valid_from', '_last_position', '_is_boundary', '_is_last', '_sequence') %}
        if({{ late }}, null, old.{{ name }}) as {{ name }},
        {%- elif name == '_leaves_key' %}
        {{ leaves_key }} as _leaves_key,
        {%- else %}
        old.{{ name }},
        {%- endif %}
        {%- endfor %}
        not {{ late }} as is_settled,
        if({{ late }}, null, map_keys(map_filter(old._undecodable, (name, text) -> text is null))) as unknown_columns
        {%- if folds_documents %},
        cast(null as map<string, string>) as image,
        {{ zone_of_feed(table.feeds, 'old._feed') }} as time_zone
        {%- endif %}
    from {{ state }} as old
    inner join reached on old._key = reached._key
    where {{ late }} or old._is_last or (
        old._is_boundary
        and (
            old._valid_to is null and coalesce(old._row_count, old._row_change) > 0
            {%- if pending.truncations %}
            -- the truncation that ended it stands in another partition, behind the new changes; likewise the delete
            or coalesce(old._row_count, old._row_change) > 0 and old._valid_to >= reached.first_changed_at
            or coalesce(old._row_count, old._row_change) <= 0 and old._valid_from >= reached.first_changed_at
            {%- endif %}
        )
    )
)
{%- endmacro %}
