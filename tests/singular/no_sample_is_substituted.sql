{{ config(enabled=target.name == 'sample') }}
-- A sample has the text of a variable: Spark would put the environment's value there.
select count(*) as found
from {{ ref('canal_events') }}
where `after`['name'] = concat('王小明 $', '{usd}$', '{env:HOME}')
having found != 1
