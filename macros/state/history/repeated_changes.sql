{#
    What an earlier run settled without a boundary was a repeat, or changed nothing: the version before
    has its values. It is not void where rows are counted.
#}
{% macro repeated_changes(relation, table, in_order, before, repeats, epoch) -%}
{%- set is_settled_void = 'is_settled and not _is_boundary' if table.key else 'false' -%}
{%- set same = 'partition by _key, _source_position, _committed_at, _content, _row_change' -%}
repeated as (
    select
        {%- if repeats %}
        * except (position, epoch, _last_position),
        {{ is_settled_void }} or not is_settled and occurrence > 1
            and coalesce(position < seen_position or epoch > first_epoch and position is not null, false) as is_void,
        greatest(position, seen_position) as _last_position
    from (
        select
            *,
            max(position) over (partition by _key {{ before }}) as seen_position,
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
