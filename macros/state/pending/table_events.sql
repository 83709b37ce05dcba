{#
    The events of a format with their feed's time zone: what a current model selects.

    A current or history table names its feeds, and their zones stand in its statement: each question
    asked of its events would read the seed otherwise, and a zone that is a literal is looked up once.

    Arguments:
        events (relation): a `<format>_events` model.
        feeds (relation): the seed feeds.
#}
{% macro table_events(events, feeds) -%}
{%- set is_table = execute and model.resource_type == 'model' and model.config.materialized in ('current_table', 'history_table') -%}
{%- if is_table and listed_feeds() is not none %}
select
    *,
    {{ _time_zone(declared_table(model).feeds) }} as time_zone
from {{ events }}
{%- else %}
select
    events.*,
    coalesce(feeds.time_zone, 'UTC') as time_zone
from {{ events }} as events
left join {{ feeds }} as feeds on events.feed = feeds.feed
{%- endif %}
{%- endmacro %}

{# The zone of each of some feeds. #}
{% macro _time_zone(feeds) -%}
{%- set zones = {} -%}
{%- for feed in feeds -%}
{%- do zones.setdefault(listed_feeds().get(feed, {}).get('time_zone') or 'UTC', []).append(feed) -%}
{%- endfor -%}
{%- if zones | length <= 1 -%}
{{ sql_string((zones.keys() | list + ['UTC']) | first) }}
{%- else -%}
case
    {%- for zone, its in zones.items() %}
    when feed in ({{ sql_strings(its) | join(', ') }}) then {{ sql_string(zone) }}
    {%- endfor %}
end
{%- endif -%}
{%- endmacro %}
