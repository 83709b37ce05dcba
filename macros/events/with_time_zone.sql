{#
    Messages or events with the time zone of their feed, UTC where the seed does not say.

    Arguments:
        messages (string): a relation or CTE with the column `feed`.
        feeds (relation): the seed feeds.

    Returns: a select of the columns of `messages` and time_zone (string).
#}
{% macro with_time_zone(messages, feeds) -%}
select
    messages.*,
    coalesce(feeds.time_zone, 'UTC') as time_zone
from {{ messages }} as messages
left join {{ feeds }} as feeds on messages.feed = feeds.feed
{%- endmacro %}
