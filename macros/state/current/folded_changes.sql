{#
    Changes older than the state's row are left out: merged into a newer image, they would count as
    newer.
#}
{% macro folded_changes(pending, table, columns) -%}
{%- set parts = ['newest_partial'] -%}
{%- for column in columns -%}
{%- do parts.append('_part_' ~ loop.index) -%}
{%- endfor -%}
{%- if pending.state -%}
{%- set place = 'across_partitions' if pending.is_spread else 'in_partition' -%}
timely_changes as (
    select
        changed.* except (last, {{ parts | join(', ') }}),
        -- see staying_change(): here the row that arrived is in the state, and only a partial image follows
        if(coalesce(
            {{ is_older_change('changed.last') }}
            or changed.last.is_move and not changed.last.is_upsert and changed.stayed_whole is null
            and changed.stayed > changed.last.{{ place }}
            and state._is_move and not state._is_deleted and {{ is_one_moment('changed.last.', 'state._') }},
            false
        ), null, changed.last) as last,
        {%- for part in parts %}
        if({{ is_older_change('changed.' ~ part ~ ('.at' if not loop.first else '')) }}, null, changed.{{ part }}) as {{ part }}{{ ',' if not loop.last }}
        {%- endfor %}
    from last_changes as changed
    left join {{ pending.state }} as state
        on changed._key = state._key and not {{ is_truncated_row('state', table, pending) }}
),

{% endif -%}
later_parts as (
    select
        _key,
        last,
        stayed,
        {%- for part in parts %}
        if(last is null or {{ is_later_change(part ~ ('.at' if not loop.first else ''), 'last', pending) }}, {{ part }}, null) as {{ part }}{{ ',' if not loop.last }}
        {%- endfor %}
    from {{ 'timely_changes' if pending.state else 'last_changes' }}
    {%- if pending.state %}
    where last is not null or newest_partial is not null
    {%- endif %}
),

folded as (
    select
        _key,
        if(last is null, map_keys(image), null) as present,
        case when not last.is_upsert and newest.is_upsert then filter(array(
            {%- for column in columns %}
            if({{ holds_column('map_keys(image)', column) }}, null, {{ sql_string(column.source) }}){{ '' if loop.last else ',' }}
            {%- endfor %}
        ), name -> name is not null) end as unknown_columns,
        stayed,
        {{ newest_change('image') }} as last
    from (
        select
            _key,
            last,
            stayed,
            coalesce(newest_partial, last) as newest,
            if(newest_partial is null, last.image, map_concat(
                coalesce({{ _without_other_names(columns) }}, cast(map() as map<string, string>)),
                map_from_entries(filter(
                    array(
                        {%- for column in columns %}
                        if(_part_{{ loop.index }} is null, null, struct({{ sql_string(column.source) }} as key, _part_{{ loop.index }}.text as value)){{ '' if loop.last else ',' }}
                        {%- endfor %}
                    ),
                    entry -> entry is not null
                ))
            )) as image
        from later_parts
    )
)
{%- endmacro %}

{# The last complete image, without columns that a later partial image has under another of their names. #}
{% macro _without_other_names(columns) -%}
{%- set names = namespace(image='last.image') -%}
{%- for column in columns if column.sources | length > 1 -%}
{%- set part = '_part_' ~ (columns.index(column) + 1) -%}
{%- set names.image = 'map_filter(' ~ names.image ~ ', (name, text) -> ' ~ part ~ ' is null or name not in (' ~ sql_strings(column.sources) | join(', ') ~ '))' -%}
{%- endfor -%}
{{ names.image }}
{%- endmacro %}
