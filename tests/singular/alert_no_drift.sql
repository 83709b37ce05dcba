{{ config(
    enabled=var('changelake_lag_minutes', 0) | int > 0,
    severity='warn',
    tags=['alert'],
) }}
-- The current models declare the columns that their sources have. What a changed type needs a run has done, or
-- asked; the view shows it for good.
select *
from {{ ref('column_drift') }}
where kind != 'type_changed'
