{#
    The step that puts the patches of a document which come after its last complete change in order.
    What is older than the row that the state has is left out: laid together with a newer patch, it
    would count as new.

    Arguments:
        news (dictionary): see state_news().
#}
{% macro later_images(news) -%}
{%- if news.state -%}
timely_changes as (
    select
        changed.* except (last, partials),
        if({{ is_older_change('changed.last') }}, null, changed.last) as last,
        filter(changed.partials, partial -> not {{ is_older_change('partial') }}) as partials
    from last_changes as changed
    left join {{ news.state }} as state
        on changed._key = state._key
),

{% endif -%}
later_images as (
    select
        _key,
        last,
        stayed_offset,
        array_sort(
            filter(partials, partial -> last is null or {{ is_later_change('partial', 'last', news) }}),
            (one, other) -> case when {{ is_later_change('other', 'one', news) }} then -1 when {{ is_later_change('one', 'other', news) }} then 1 else 0 end
        ) as later
    from {{ 'timely_changes' if news.state else 'last_changes' }}
    {%- if news.state %}
    where last is not null or size(partials) > 0
    {%- endif %}
)
{%- endmacro %}
