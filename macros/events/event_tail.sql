{#
    The columns with which every parser's select ends: what became of the message, from the columns
    `reject` and `no_event` of the parser's step. Its outcome is one of events, tombstone, control,
    waiting, rejected.

    Arguments:
        message_number (string): an expression of type bigint, the number that the producer gives
            its messages; none where the dialect has none.
#}
{% macro event_tail(message_number='cast(null as bigint)') -%}
landed_at,
    reject.reason as reject_reason,
    reject.detail as reject_detail,
    case when reject is not null then 'rejected' else coalesce(no_event, 'events') end as outcome,
    {{ message_number }} as message_number,
    landed_date
{%- endmacro %}
