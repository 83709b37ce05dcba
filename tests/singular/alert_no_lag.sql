{{ config(
    enabled=var('changelake_lag_minutes', 0) | int > 0,
    severity='error',
    tags=['alert'],
) }}
{%- set seconds = var('changelake_lag_minutes', 0) | int * 60 %}
-- Of the last 24 hours 99 % of the messages took no longer than changelake_lag_minutes from their commit until a run began
-- to parse them, and none has waited longer since it landed. A run that fails says so itself.
select
    feed,
    kafka_topic,
    p99_seconds as seconds
from {{ ref('lag') }}
where step = 'commit_to_parsed' and p99_seconds > {{ seconds }}
union all
select
    feed,
    kafka_topic,
    (unix_micros(current_timestamp()) - unix_micros(unparsed_since)) / 1e6 as seconds
from {{ ref('freshness') }}
where unparsed_since < current_timestamp() - interval {{ seconds }} seconds
