{{ config(
    enabled=var('changelake_lag_minutes', 0) | int > 0,
    severity='warn',
    tags=['alert'],
) }}
-- Since yesterday no message was rejected.
select
    feed,
    reject_reason,
    sum(messages) as messages
from {{ ref('rejects_by_reason') }}
where landed_date >= date_sub(current_date(), 1)
group by feed, reject_reason
