{#
    The steps that lay the partial images of a key, in order, over its last complete change. Where
    there is none in this run, the state table has it: then `present` says which columns are known.

    Arguments:
        news (dictionary): see state_news().
#}
{% macro folded_changes(news) -%}
{{ later_images(news) }},

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
