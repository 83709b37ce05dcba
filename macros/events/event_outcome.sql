{#
    What became of the message, from the columns `reject` and `no_event` of a parser's step: one of
    events, tombstone, control, waiting, rejected.
#}
{% macro event_outcome() -%}
case when reject is not null then 'rejected' else coalesce(no_event, 'events') end
{%- endmacro %}
