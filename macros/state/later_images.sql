{#
    The step that puts the partial images of a key which come after its last complete change in order.
    What is older than the row that the state has is left out: laid together with a newer image, it
    would count as new.

    Arguments:
        news (dictionary): see state_news().
#}
{% macro later_images(news) -%}
{%- if news.state -%}
timely_changes as (
    select
        changed.* except (last, partials),
        if({{ _is_older('changed.last') }}, null, changed.last) as last,
        filter(changed.partials, partial -> not {{ _is_older('partial') }}) as partials
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
            filter(partials, partial -> last is null or {{ _is_later('partial', 'last', news) }}),
            (one, other) -> case when {{ _is_later('other', 'one', news) }} then -1 when {{ _is_later('one', 'other', news) }} then 1 else 0 end
        ) as later
    from {{ 'timely_changes' if news.state else 'last_changes' }}
    {%- if news.state %}
    where last is not null or size(partials) > 0
    {%- endif %}
)
{%- endmacro %}

{# Whether a change is older than the row of its key in the state, as merge_changes() decides it. #}
{% macro _is_older(change) -%}
coalesce(case
            when {{ change }}.kafka_topic = state._kafka_topic and {{ change }}.kafka_partition = state._kafka_partition
                then {{ change }}.kafka_offset < state._kafka_offset
            else {{ position_order(change ~ '.', is_image=change ~ '.is_image') }} <= {{ position_order('state._', is_image='not state._is_deleted') }}
        end, false)
{%- endmacro %}

{# Whether a change comes after another one of its key. #}
{% macro _is_later(one, other, news) -%}
{%- set by_offset = one ~ '.in_partition > ' ~ other ~ '.in_partition' -%}
{{ 'if(is_one_partition, ' ~ by_offset ~ ', ' ~ one ~ '.across_partitions > ' ~ other ~ '.across_partitions)' if news.partitions > 1 else by_offset }}
{%- endmacro %}
