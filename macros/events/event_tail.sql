{% macro event_tail(message_number='cast(null as bigint)') -%}
landed_at,
    reject.reason as reject_reason,
    reject.detail as reject_detail,
    case when reject is not null then 'rejected' else coalesce(no_event, 'events') end as outcome,
    {{ message_number }} as message_number,
    landed_date
{%- endmacro %}
