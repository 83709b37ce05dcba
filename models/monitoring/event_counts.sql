{{ config(materialized='view') }}

{#- the formats in use stand in this seed -#}
{%- do ref('feeds') -%}
{% for format in formats_in_use() %}
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
{% if not loop.last %}union all{% endif %}
{% endfor %}
