{#
    What an earlier run settled without a boundary was a repeat, or changed nothing: the version before
    has its values. It is not void where rows are counted.

    A row leaves its key ahead of the one that takes it in the same message, perhaps with a higher
    position. When that message is repeated, the two are judged alike: were only the second one void,
    its row would end.
#}
{% macro repeated_changes(relation, table, in_order, before, repeats, epoch) -%}
{%- set is_settled_void = 'is_settled and not _is_boundary' if table.key else 'false' -%}
{%- set is_repeated = 'coalesce(taken_at <= seen_position, position < seen_position)' if table.key else 'position < seen_position' -%}
{%- set message = 'struct(_kafka_topic, _kafka_partition, _kafka_offset)' -%}
{%- set same = 'partition by _key, _source_position, _committed_at, _content, _row_change' -%}
repeated as (
    select
        {%- if repeats %}
        * except (position, epoch, _last_position{{ ', taken_at' if table.key }}),
        {{ is_settled_void }} or not is_settled and occurrence > 1
            and coalesce({{ is_repeated }} or epoch > first_epoch and position is not null, false) as is_void,
        greatest(position, seen_position) as _last_position
    from (
        select
            *,
            max(position) over (partition by _key {{ before }}) as seen_position,
            {%- if table.key %}
            if(
                _row_change < 0 and {{ message }} = lead({{ message }}) over (partition by _key {{ in_order }}),
                lead(position) over (partition by _key {{ in_order }}), null
            ) as taken_at,
            {%- endif %}
            row_number() over ({{ same }} {{ in_order }}) as occurrence,
            min(epoch) over ({{ same }}) as first_epoch
        from (
            select
                *,
                coalesce(_last_position, {{ position_numbers('_source_position') }}) as position,
                {{ epoch }} as epoch
            from {{ relation }}
        )
    )
        {%- else %}
        * except (_last_position),
        {{ is_settled_void }} as is_void,
        -- as earlier runs computed it
        max(_last_position) over (partition by _key {{ in_order }}) as _last_position
    from {{ relation }}
        {%- endif %}
)
{%- endmacro %}
