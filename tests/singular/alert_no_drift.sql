{{ config(
    enabled=var('changelake_lag_minutes', 0) | int > 0,
    severity='warn',
    tags=['alert'],
) }}
-- The current models declare the columns that their sources have.
select *
from {{ ref('column_drift') }}
