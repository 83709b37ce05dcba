{{ config(materialized='view') }}

{% for format in formats() %}
select {{ contract_columns() | join(', ') }}
from {{ ref(format ~ '_events') }}
where event_type is not null
{% if not loop.last %}union all{% endif %}
{% endfor %}
