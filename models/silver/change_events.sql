{{ config(materialized='view') }}

{% for format in formats() %}
select {{ contract_columns() | join(', ') }}
from {{ ref(format ~ '_events') }}
where outcome = 'events'
{% if not loop.last %}union all{% endif %}
{% endfor %}
