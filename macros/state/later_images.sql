{#
    The step that puts the partial images of a key which come after its last complete change in order.

    Arguments:
        news (dictionary): see state_news().
#}
{% macro later_images(news) -%}
later_images as (
    select
        _key,
        last,
        array_sort(
            filter(partials, partial -> last is null or {{ _is_later('partial', 'last', news) }}),
            (one, other) -> case when {{ _is_later('other', 'one', news) }} then -1 when {{ _is_later('one', 'other', news) }} then 1 else 0 end
        ) as later
    from last_changes
)
{%- endmacro %}

{# Whether a change comes after another one of its key. #}
{% macro _is_later(one, other, news) -%}
{%- set by_offset = one ~ '.in_partition > ' ~ other ~ '.in_partition' -%}
{{ 'if(is_one_partition, ' ~ by_offset ~ ', ' ~ one ~ '.across_partitions > ' ~ other ~ '.across_partitions)' if news.partitions > 1 else by_offset }}
{%- endmacro %}
