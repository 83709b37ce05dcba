{{ config(materialized='view') }}

{% call(format) of_each_format() -%}
select
    messages.*,
    '{{ format }}' as format,
    rejects.reject_reason,
    rejects.reject_detail
from {{ ref(format ~ '_events') }} as rejects
inner join {{ source('bronze', format) }} as messages
    on rejects.landed_date = messages.landed_date
    and rejects.kafka_topic = messages.kafka_topic
    and rejects.kafka_partition = messages.kafka_partition
    and rejects.kafka_offset = messages.kafka_offset
where rejects.outcome = 'rejected'
{%- endcall %}
