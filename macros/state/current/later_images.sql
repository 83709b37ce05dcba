{#
    Patches older than the state's row are left out: merged into a newer one, they would count as
    newer.
#}
{% macro later_images(pending, table) -%}
{%- if pending.state -%}
timely_changes as (
    select
        changed.* except (last, partials),
        if({{ is_older_change('changed.last') }}, null, changed.last) as last,
        filter(changed.partials, partial -> not {{ is_older_change('partial') }}) as partials
    from last_changes as changed
    left join {{ pending.state }} as state
        on changed._key = state._key and not {{ is_truncated_row('state', table, pending) }}
),

{% endif -%}
later_images as (
    select
        _key,
        last,
        stayed,
        array_sort(
            filter(partials, partial -> last is null or {{ is_later_change('partial', 'last', pending) }}),
            (one, other) -> case when {{ is_later_change('other', 'one', pending) }} then -1 when {{ is_later_change('one', 'other', pending) }} then 1 else 0 end
        ) as later
    from {{ 'timely_changes' if pending.state else 'last_changes' }}
    {%- if pending.state %}
    where last is not null or size(partials) > 0
    {%- endif %}
)
{%- endmacro %}
