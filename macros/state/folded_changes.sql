{#
    The steps that lay the partial images of a key, in order, over its last complete change. Where
    there is none in this run, the state table has it: then `present` says which columns are known.
#}
{% macro folded_changes(news) -%}
{%- set order = 'across_partitions' if news.partitions > 1 else 'in_partition' -%}
later_images as (
    select
        _key,
        last,
        array_sort(
            filter(partials, partial -> last is null or partial.{{ order }} > last.{{ order }}),
            (one, other) -> case when one.{{ order }} < other.{{ order }} then -1 when one.{{ order }} > other.{{ order }} then 1 else 0 end
        ) as later
    from last_changes
),

folded as (
    select
        _key,
        if(last is null, map_keys(image), null) as present,
        struct(
            image,
            newest.is_image,
            newest.committed_at,
            newest.feed,
            newest.kafka_topic,
            newest.kafka_partition,
            newest.kafka_offset,
            newest.source_position,
            newest.time_zone
        ) as last
    from (
        select
            _key,
            last,
            coalesce(try_element_at(later, -1), last) as newest,
            aggregate(
                later,
                coalesce(last.image, cast(map() as map<string, string>)),
                (image, partial) -> map_concat(image, partial.image)
            ) as image
        from later_images
    )
)
{%- endmacro %}
