{{ config(materialized='view') }}

{% call(format) of_each_format() -%}
select
    landed_date,
    feed,
    '{{ format }}' as format,
    kafka_topic,
    reject_reason,
    count_if(row_index = 0) as messages,
    max(landed_at) as last_landed_at
from {{ ref(format ~ '_events') }}
where outcome = 'rejected'
group by landed_date, feed, kafka_topic, reject_reason
{%- endcall %}
