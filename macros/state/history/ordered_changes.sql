{#
    Within a partition the offset decides; across partitions the source's position does, or the
    moment() of the change. Neither may contradict the order within a partition, so each change counts
    with the highest one so far in its partition. Changes of a partition at one moment stay together as
    a block; a block that ends with a delete precedes one that ends with an upsert, since rows can swap
    their keys.
#}
{% macro ordered_changes() -%}
{%- set in_partition = 'partition by _key, _kafka_topic, _kafka_partition order by _kafka_offset, _leaves_key desc, _row_index, _row_change desc' -%}
placed_changes as (
    select
        *,
        max(struct({{ position_numbers('_source_position') }} as position, {{ moment('_') }} as moment)) over ({{ in_partition }}) as moment
    -- otherwise Spark would shuffle by partition first, and by key once more
    from (select * from all_changes distribute by _key)
),

-- the last change at a moment represents all of them
moment_ends as (
    select
        *,
        if(moment <=> lead(moment) over ({{ in_partition }}), null, struct(
            _row_change as last_change,
            _kafka_offset as last_offset,
            struct(_kafka_topic, _kafka_partition) as place
        )) as ending
    from placed_changes
),

spread_changes as (
    select
        * except (_is_spread, ending),
        coalesce(ending, lead(ending) ignore nulls over ({{ in_partition }})) as ending,
        -- over the ends only: otherwise Spark would move this window first, and sort for it
        max(_is_spread) over (partition by _key)
            or min(ending.place) over (partition by _key) != max(ending.place) over (partition by _key) as _is_spread
    from moment_ends
),

ordered_changes as (
    select
        * except (moment, ending),
        if(_is_spread, struct(moment, ending), null) as block
    from spread_changes
)
{%- endmacro %}
