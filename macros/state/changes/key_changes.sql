{#
    The steps that take the new events of a table apart into changes of single keys: a key change is
    a delete of the old key and an image of the new one. Without a key a change is a row that an
    event adds or takes away.

    Arguments:
        events (string): a select of the events with their feed's time zone, a model's SQL.
        table (dictionary): the meta of the current model.
        columns (list of dictionaries): the declared columns, see declared_column().
        pending (dictionary): see pending_changes().
        without (string): a condition on events that count no more; none if empty.

    Returns: the CTEs `events` and `changes`: the events' columns, is_partial as lacks_columns() has
    it, and _key, image (map<string, string>), is_image (boolean; false: it is a delete),
    row_operation (string): what the change is for that key, and is_move (boolean): it is one half of
    a key change, and both images hold the whole row.
#}
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
        change.is_image,
        change.row_operation,
        operation != change.row_operation and not is_partial and size(`before`) = size(`after`) as is_move,
        {{ key_text(key, 'change.image', 'time_zone') }} as _key
    from events
    lateral view inline(
        case
            when operation = 'delete'
                then array(struct(before as image, false as is_image, operation as row_operation))
            when operation = 'update' and ({{ key_differs(key) if table.key else 'true' }})
                then array(
                    struct(before as image, false as is_image, 'delete' as row_operation),
                    struct({{ 'if(is_partial, coalesce(map_concat(before, after), ' ~ image ~ '), after)' if pending.partial_rows else 'after' }} as image, true as is_image, 'insert' as row_operation)
                )
            else array(struct({{ image }} as image, true as is_image, operation as row_operation))
        end
    ) change
    {%- if not table.key %}
    -- of a row that is not known none is taken away, and least of all one of nulls
    where size(change.image) > 0
    {%- endif %}
)
{%- endmacro %}
