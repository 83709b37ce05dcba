{% macro with_time_zone(messages, feeds) -%}
select
    messages.*,
    coalesce(feeds.time_zone, 'UTC') as time_zone
from {{ messages }} as messages
left join {{ feeds }} as feeds on messages.feed = feeds.feed
{%- endmacro %}
