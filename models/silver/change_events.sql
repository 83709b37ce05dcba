{{ config(materialized='view') }}

{#- the formats in use stand in this seed -#}
{%- do ref('feeds') -%}
{% for format in formats_in_use() %}
select {{ contract_columns() | join(', ') }}
from {{ ref(format ~ '_events') }}
where event_type is not null
{% if not loop.last %}union all{% endif %}
{% endfor %}
