{{ config(materialized='view') }}

{% call(format) of_each_format() -%}
select
    landed_date,
    feed,
    '{{ format }}' as format,
    database_name,
    schema_name,
    table_name,
    event_type,
    operation,
    count(*) as events
from {{ ref(format ~ '_events') }}
where event_type is not null
group by landed_date, feed, database_name, schema_name, table_name, event_type, operation
{%- endcall %}
