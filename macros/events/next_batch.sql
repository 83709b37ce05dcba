{#
    The number of this parsing run: the epoch's milliseconds, and more than the last one's. It orders
    events by their arrival in the table, which a message that is parsed again does not share with
    its offset, and goes on growing when the table is built anew. Delta answers the largest number
    from its log.

    Arguments:
        events (relation): the table of events, as it is before this run; none if it is built anew.
#}
{% macro next_batch(events=none) -%}
{%- set now = now_milliseconds() -%}
{%- if events is none -%}
{{ now }}
{%- else -%}
{{ [now, (run_query('select max(parse_batch) from ' ~ events).columns[0][0] or 0) + 1] | max }}
{%- endif -%}
{%- endmacro %}
