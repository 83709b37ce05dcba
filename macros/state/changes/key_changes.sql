{% macro key_changes(events, table, columns, pending, without='') -%}
{#- without a key the whole row is what tells it from others -#}
{%- set key = key_of_table(table, columns) if table.key else columns -%}
{%- set others = other_encodings(columns, pending.column_types) -%}
{%- set image = known_image(key) if table.key and pending.partial_rows else 'after' -%}
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

-- one row per key that an event touches, or, without a key, a row that it adds or takes away
changes as (
    select
        events.*,
        change.image,
        change.is_upsert,
        change.row_operation,
        operation != change.row_operation and not is_partial and size(`before`) = size(`after`) as is_move,
        {{ key_text(key, 'change.image', 'time_zone') }} as _key
    from events
    lateral view inline(
        case
            when operation = 'delete'
                then array(struct(before as image, false as is_upsert, operation as row_operation))
            when operation = 'update' and ({{ key_differs(key) if table.key else 'true' }})
                then array(
                    struct(before as image, false as is_upsert, 'delete' as row_operation),
                    struct({{ 'if(is_partial, coalesce(map_concat(before, after), ' ~ image ~ '), after)' if pending.partial_rows else 'after' }} as image, true as is_upsert, 'insert' as row_operation)
                )
            else array(struct({{ image }} as image, true as is_upsert, operation as row_operation))
        end
    ) change
    {%- if not table.key %}
    -- of a row that is not known none is taken away, and least of all one of nulls
    where size(change.image) > 0
    {%- endif %}
)
{%- endmacro %}
