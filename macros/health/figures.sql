{% macro figures(now, days, run_days) -%}
{%- set freshness -%}
select
    *
    {%- for moment in ['newest_committed_at', 'newest_kafka_timestamp', 'newest_landed_at', 'newest_parsed_at', 'unparsed_since'] %},
    {{ seconds_since(moment, now) }} as {{ moment }}_age
    {%- endfor %}
from silver.freshness
order by feed, format, kafka_topic
{%- endset -%}

{%- set lag -%}
select * from silver.lag
order by feed, format, kafka_topic, step
{%- endset -%}

{%- set outcomes -%}
select
    feed,
    format,
    outcome,
    sum(messages) as messages
from silver.message_counts
group by feed, format, outcome
order by feed, format, outcome
{%- endset -%}

{%- set events -%}
select
    landed_date,
    coalesce(operation, event_type) as operation,
    sum(events) as events
from silver.event_counts
where landed_date > current_date() - {{ days }}
group by landed_date, coalesce(operation, event_type)
order by landed_date, operation
{%- endset -%}

{%- set tables -%}
select
    feed,
    concat_ws('.', database_name, schema_name, table_name) as source_table,
    sum(events) as events,
    max(landed_date) as last_day
from silver.event_counts
where event_type = 'row'
    and landed_date > current_date() - {{ days }}
group by feed, source_table
order by events desc, source_table, feed
{%- endset -%}

{%- set rejects -%}
select
    *,
    landed_date >= current_date() - 1 as is_recent
from silver.rejects_by_reason
where landed_date > current_date() - {{ days }}
order by landed_date, feed, format, kafka_topic, reject_reason
{%- endset -%}

{%- set drift -%}
select
    model,
    kind,
    count(*) as columns,
    array_join(array_sort(collect_set(column_name)), ', ') as names
from silver.column_drift
group by model, kind
order by model, kind
{%- endset -%}

{%- set sizes_by_day -%}
select
    date(measured_at) as day,
    schema_name,
    max_by(bytes, measured_at) as bytes
from (
    select
        measured_at,
        schema_name,
        sum(bytes) as bytes
    from silver.table_sizes
    where measured_at > {{ now }} - interval {{ days }} days
    group by measured_at, schema_name
)
group by day, schema_name
order by day, schema_name
{%- endset -%}

{#- higher exit codes mean a signal, after which the next run continues -#}
{%- set runs_with_age -%}
select
    *,
    exit_code between 1 and 127 as has_failed,
    {{ seconds_since('ended_at', now) }} as ended_at_age
from silver.run_costs
{%- endset -%}

{%- set runs -%}
{{ runs_with_age }}
where started_at > {{ now }} - interval {{ run_days }} days
order by ended_at
{%- endset -%}

{#- not limited by days: if no run is scheduled any more, the last one is old -#}
{%- set last_run -%}
{{ runs_with_age }}
order by ended_at desc
limit 1
{%- endset -%}

{{ return({
    'freshness': freshness,
    'lag': lag,
    'outcomes': outcomes,
    'events': events,
    'tables': tables,
    'rejects': rejects,
    'drift': drift,
    'sizes_by_day': sizes_by_day,
    'runs': runs,
    'last_run': last_run,
}) }}
{%- endmacro %}
