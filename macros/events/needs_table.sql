{#
    The condition that an event is about the rows of one table, which its message has to name: without
    the name they would be kept, or emptied, in silence.
#}
{% macro needs_table() -%}
(event_type in ('row', 'truncate') or operation = 'drop')
{%- endmacro %}
