{% macro version_bounds(relation, table, columns, pending, in_order, before, shard, folds) -%}
{#- when the table was truncated for the first, second, … time -#}
{%- set truncated_at -%}
map({% for one in pending.truncations %}{{ sql_string(one.number ~ ' ' ~ one.shard) }}, timestamp{{ sql_string(one.changed_at) }}{{ ', ' if not loop.last }}{% endfor %})
{%- endset -%}
{%- set parts = [] -%}
{%- for column in columns -%}
{%- do parts.extend([comparable_value('_value_' ~ loop.index, column), '_text_' ~ loop.index]) -%}
{%- do parts.append('_is_unknown_' ~ loop.index) if folds -%}
{%- endfor -%}
{%- set row = 'struct(' ~ (parts + ['_row_change', '_epoch']) | join(', ') ~ ')' -%}
{%- set began_at = 'greatest(_changed_at, ' ~ truncated_at ~ "[concat(_epoch - 1, ' ', " ~ shard ~ ')])' if pending.truncations else '_changed_at' -%}
-- a version begins and ends at a boundary
boundaries as (
    select
        * except (_is_boundary, _row_count),
        case
            when is_settled then _is_boundary
            when is_void then false
            {%- if table.key %}
            -- an image like the one before: another column has changed, or the source was read again
            when _row_change > 0
                then not {{ row }} <=> last(if(is_void, null, {{ row }}), true) over (partition by _key {{ before }})
            {%- endif %}
            else true
        end as _is_boundary,
        {% if table.key -%}
        _row_count
        {%- else -%}
        if(is_settled, _row_count, sum(case
            when is_void then 0
            when not is_settled then _row_change
            when _is_last then _row_count
            else 0
        end) over (partition by _key, _epoch {{ in_order }}))
        {%- endif %} as _row_count
    from {{ relation }}
),

version_starts as (
    select
        * except (_valid_from, _is_last, _sequence),
        max(case
            when is_settled then _valid_from
            when _is_boundary then {{ began_at }}
        end) over (partition by _key {{ in_order }}) as _valid_from,
        lead(true) over (partition by _key {{ in_order }}) is null as _is_last,
        coalesce(max(_sequence) over (partition by _key {{ in_order }}), 0)
            + count_if(not is_settled) over (partition by _key {{ in_order }}) as _sequence
    from boundaries
),

version_ends as (
    select
        *,
        {% if pending.truncations -%}
        {{ truncated_at }}[concat(_epoch, ' ', {{ shard }})] as _epoch_end,
        {% endif -%}
        lead(if(_is_boundary, struct(_valid_from, _epoch), null)) ignore nulls over (partition by _key {{ in_order }}) as next
    from version_starts
)
{%- endmacro %}
