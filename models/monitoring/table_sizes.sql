{{ config(materialized='view') }}

with written as (
    {{ json_lines(source('monitoring', 'tables'), '
        measured_at timestamp, schema_name string, table_name string, stored_rows bigint, bytes bigint, files bigint,
        newest_commit timestamp
    ') }}
)

-- a full disk may have cut a line short
select *
from written
where measured_at is not null
