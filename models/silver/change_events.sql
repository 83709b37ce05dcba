{{ config(materialized='view') }}

{% call(format) of_each_format() -%}
select {{ contract_columns() | join(', ') }}
from {{ ref(format ~ '_events') }}
where event_type is not null
{%- endcall %}
