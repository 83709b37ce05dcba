{% macro key_changes(events, table, columns, pending, without='') -%}
{#- without a key, all columns tell rows apart -#}
{%- set key = key_of_table(table, columns) if table.key else columns -%}
{%- set others = other_encodings(columns, pending.column_types) -%}
{%- set partial = table.key and pending.partial_rows -%}
{%- set image = known_image(key) if partial else 'after' -%}
{%- set moved_image = known_image(key, has_moved=true) if pending.partial_rows else 'after' -%}
{%- set are_whole = 'size(`before`) = size(`after`)' -%}
{%- if not format_traits().before_is_whole -%}
{#- the old image of such a row is not the one that it came with -#}
{%- set are_whole = 'false' -%}
{%- elif partial -%}
{%- set are_whole = 'if(is_partial, not ' ~ lacks_columns(table, '`before`') ~ ', ' ~ are_whole ~ ')' -%}
{%- else -%}
{%- set are_whole = 'not is_partial and ' ~ are_whole -%}
{%- endif -%}
{%- set in_turn = table.key and format_traits().sends_transactions -%}
events as (
    select
        * except (is_partial, `before`, `after`),
        {{ image_as_declared('`before`', others) }} as `before`,
        {{ image_as_declared('`after`', others) }} as `after`,
        {{ lacks_columns(table) }} as is_partial
    from (
{{ events_of_table(events, table) }}
    )
    where event_type = 'row'
        and {{ pending.new_batches }}
        {%- if without %}
        and not ({{ without }})
        {%- endif %}
),

-- one row per key that an event touches or, without a key, per row that it adds or removes
{{ 'unordered_changes' if in_turn else 'changes' }} as (
    select
        events.* except (is_partial),
        change.image,
        change.is_upsert,
        change.row_operation,
        change.is_move,
        -- for a row that moves, the old image has the rest
        is_partial and not change.is_move as is_partial,
        {{ key_text(key, 'change.image', 'time_zone') }} as _key
        {%- if not in_turn %},
        operation != change.row_operation and not change.is_upsert as leaves_first
        {%- endif %}
    from events
    lateral view inline(
        case
            when operation = 'delete'
                then array(struct(before as image, false as is_upsert, operation as row_operation, false as is_move))
            {%- if partial %}
            -- nothing is left of the row that had the key, wherever the message stands by which it left
            when operation = 'update' and is_partial and not coalesce({{ are_whole }}, false) and ({{ key_differs(key) }})
                then array(
                    struct(before as image, false as is_upsert, 'delete' as row_operation, false as is_move),
                    struct({{ moved_image }} as image, false as is_upsert, 'vacate' as row_operation, false as is_move),
                    struct({{ moved_image }} as image, true as is_upsert, 'insert' as row_operation, false as is_move)
                )
            {%- endif %}
            when operation = 'update' and ({{ key_differs(key) if table.key else 'true' }})
                then array(
                    struct(before as image, false as is_upsert, 'delete' as row_operation, coalesce({{ are_whole }}, false) as is_move),
                    struct({{ moved_image }} as image, true as is_upsert, 'insert' as row_operation, coalesce({{ are_whole }}, false) as is_move)
                )
            else array(struct({{ image }} as image, true as is_upsert, operation as row_operation, false as is_move))
        end
    ) change
    {%- if not table.key %}
    -- an unknown row removes none, in particular not one of nulls
    where size(change.image) > 0
    {%- endif %}
)
{%- if in_turn %},

-- a row that a transaction has changed leaves its key right behind that, before another one takes the key;
-- once a row has left the key, the next one to leave is the one that took it; but to vacate it for a row of which
-- only parts are known comes before that row
changes as (
    select
        * except (row_index, own),
        if(own.is_upsert, own.row_index, row_index) as row_index,
        operation != row_operation and not is_upsert and (own is null{{ " or row_operation = 'vacate' and not own.is_upsert" if partial }}) as leaves_first
    from (
        select
            *,
            -- the key's last earlier change by which no other row takes it
            if(operation != row_operation and not is_upsert, last(
                if(operation = row_operation or row_operation = 'delete', struct(is_upsert, row_index), null), true
            ) over (
                partition by _key, kafka_topic, kafka_partition, kafka_offset
                order by row_index rows between unbounded preceding and 1 preceding
            ), null) as own
        from unordered_changes
    )
)
{%- endif %}
{%- endmacro %}
