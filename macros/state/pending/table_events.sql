{#
    What the model of a current or history table selects: the rows, or the versions, that the events since
    the table's last run make, see rebuild_table() and history_versions(). What its run does is asked here,
    see table_plan(), so that `dbt compile` shows the statement which the materialization merges.

    Elsewhere, and while dbt parses: the events with their feed's time zone.

    Arguments:
        events (relation): a `<format>_events` model, or a CTE with its columns.
        feeds (relation): the seed feeds.
#}
{% macro table_events(events, feeds) -%}
{%- if not execute or model.config.materialized not in ('current_table', 'history_table') -%}
{{ _joined_events(events, feeds) }}
{%- else -%}
{%- set select = _events_with_literal_zone(events) if listed_feeds() is not none else _joined_events(events, feeds) -%}
{%- set plan = table_plan(select) -%}
{%- if plan.pending is none -%}
-- nothing has come since the table's last run
{%- elif model.config.materialized == 'history_table' -%}
{{ history_versions(select, plan.table, plan.state, plan.pending) }}
{%- else -%}
{{ rebuild_table(select, plan.table, plan.pending) }}
{%- endif -%}
{%- endif -%}
{%- endmacro %}

{% macro _joined_events(events, feeds) -%}
select
    events.*,
    coalesce(feeds.time_zone, 'UTC') as time_zone
from {{ events }} as events
left join {{ feeds }} as feeds on events.feed = feeds.feed
{%- endmacro %}

{#
    A table names its feeds, and their zones stand in its statement: each question asked of its events would
    read the seed otherwise, and a zone that is a literal is looked up once.
#}
{% macro _events_with_literal_zone(events) -%}
select
    *,
    {{ _time_zone(declared_table(model).feeds) }} as time_zone
from {{ events }}
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
