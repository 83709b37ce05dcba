{{ config(materialized='view') }}

{#- the formats in use stand in this seed -#}
{%- do ref('feeds') -%}
{% for format in formats_in_use() %}
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
{% if not loop.last %}union all{% endif %}
{% endfor %}
