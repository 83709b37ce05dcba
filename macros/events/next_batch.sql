{#
    The number of this parsing run: one more than the last one's. It orders events by their arrival
    in the table, which a message that is parsed again does not share with its offset. Delta
    answers the largest number from its log.

    Arguments:
        events (relation): the table of events, as it is before this run.
#}
{% macro next_batch(events) -%}
{{ (run_query('select max(parse_batch) from ' ~ events).columns[0][0] or 0) + 1 }}
{%- endmacro %}
