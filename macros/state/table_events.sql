{#
    The events of a format with their feed's time zone: what a current model selects.

    Arguments:
        events (relation): a `<format>_events` model.
        feeds (relation): the seed feeds.
#}
{% macro table_events(events, feeds) -%}
select
    events.*,
    coalesce(feeds.time_zone, 'UTC') as time_zone
from {{ events }} as events
left join {{ feeds }} as feeds on events.feed = feeds.feed
{%- endmacro %}
