{#
    The steps that say where a change stands among those of its key which come in other partitions.

    Within a partition the offset decides; across partitions the source's position does, or the
    time of the change, neither of which may undo the order of a partition: so each change counts with the
    highest one so far in its partition. Of changes at one moment those of a partition stay
    together, as a block; one that ends with a delete goes before one that ends with an image, since
    rows can swap their keys.

    Returns: CTEs, the last of them `ordered_changes`: the columns of `all_changes`, with _is_spread,
    and block (struct): what orders before the offset does; null for a key of one partition.
#}
{% macro ordered_changes() -%}
{%- set in_partition = 'order by struct(_kafka_offset, _row_change, _row_index)' -%}
placed_changes as (
    select
        * except (_is_spread),
        max(_is_spread) over (partition by _key)
            or min(struct(_kafka_topic, _kafka_partition)) over (partition by _key)
            != max(struct(_kafka_topic, _kafka_partition)) over (partition by _key) as _is_spread,
        max(struct({{ position_numbers('_source_position') }} as position, _changed_at))
            over (partition by _key, _kafka_topic, _kafka_partition {{ in_partition }}) as moment
    from all_changes
),

ordered_changes as (
    select
        * except (moment),
        if(_is_spread, struct(
            moment,
            max_by(_row_change, struct(_kafka_offset, _row_change, _row_index))
                over (partition by _key, _kafka_topic, _kafka_partition, moment) as last_change,
            max(_kafka_offset) over (partition by _key, _kafka_topic, _kafka_partition, moment) as last_offset,
            _kafka_topic,
            _kafka_partition
        ), null) as block
    from placed_changes
)
{%- endmacro %}
