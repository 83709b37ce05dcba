{#
    The run is planned here, see table_plan(), so that `dbt compile` shows the statement that the
    materialization merges.
#}
{% macro table_events(events, feeds) -%}
{%- if events is string -%}
{%- do exceptions.raise_compiler_error(
    model.name ~ " gives table_events() the text " ~ events ~ ": give it the model, as ref('<format>_events')"
) -%}
{%- endif -%}
{%- set is_table = execute and model.config.materialized in ('current_table', 'history_table') -%}
{%- set there = load_cached_relation(events) if is_table else none -%}
{#- a view stands in for the events of a format without a feed -#}
{%- if not is_table or not (is_building() or (there and not there.is_view)) -%}
{{ with_time_zone(events, feeds) }}
{%- else -%}
{%- set select = _events_with_literal_zone(events) if listed_feeds() is not none else with_time_zone(events, feeds) -%}
{%- set plan = table_plan(select) -%}
{%- if plan.pending is none -%}
-- nothing has come since the table's last run
{%- elif model.config.materialized == 'history_table' -%}
{{ history_versions(select, plan.table, plan.state, plan.pending) }}
{%- else -%}
{{ changed_rows(select, plan.table, plan.pending) }}
{%- endif -%}
{%- endif -%}
{%- endmacro %}

{#
    A table names its feeds, so their zones can be literals in its statement: otherwise each query on its
    events would read the seed, and Spark looks up a literal zone only once.
#}
{% macro _events_with_literal_zone(events) -%}
select
    *,
    {{ zone_of_feed(declared_table(model).feeds, 'feed') }} as time_zone
from {{ events }}
{%- endmacro %}
