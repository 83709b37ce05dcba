{{ config(materialized='view') }}

with written as (
    {{ json_lines(source('monitoring', 'runs'), '
        started_at timestamp, ended_at timestamp, runs int, seconds double, cpu_seconds double, messages_landed bigint,
        bytes_landed bigint, messages_rejected bigint, models_built int, failed array<string>, exit_code int, error string
    ') }}
)

-- a full disk may have cut a line short
select *
from written
where started_at is not null
