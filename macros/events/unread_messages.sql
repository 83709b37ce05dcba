{#
    The condition that keeps the messages of bronze that a table of events has not read yet: those
    behind the last offset of their topic and partition. The offsets are written as literals, so
    that Delta skips the files which hold nothing else but read messages.

    Every message leaves at least one row in the table of events, so the last offset of a
    partition is the largest one there. It is looked for on the last two landed days of its feed
    only, on both sides, lest a run cost what all its predecessors did. A feed's batches land one
    after the other and its landing time never goes back, so what is new of a feed landed on its last
    parsed day or later; a feed that has not been parsed at all is read whole.

    Arguments:
        events (relation): the table of events, as it is before this run.
        again (string): a condition on `events`, whose messages are read once more (rejects after
            a fix, halves that wait for the other one); none if empty.
#}
{% macro unread_messages(events, again='') %}
{%- set feeds = run_query('select feed, date_sub(max(landed_date), 1) from ' ~ events ~ ' group by feed order by feed').rows -%}
{%- if not feeds -%}
true
{%- else -%}
{%- set recent -%}
case feed
    {%- for feed in feeds %}
    when {{ sql_string(feed[0]) }} then landed_date >= date'{{ feed[1] }}'
    {%- endfor %}
    else true
end
{%- endset -%}
{%- set read = run_query(
    'select kafka_topic, kafka_partition, max(kafka_offset) from ' ~ events
    ~ ' where ' ~ recent ~ ' group by kafka_topic, kafka_partition order by kafka_topic, kafka_partition'
) -%}
(
    {{ recent }}
    {%- for topic, partitions in read.rows | groupby(0) %}
    and (kafka_topic != {{ sql_string(topic) }} or {% for row in partitions -%}
        (kafka_partition = {{ row[1] }} and kafka_offset > {{ row[2] }}) or {% endfor -%}
        kafka_partition not in ({{ partitions | map(attribute=1) | join(', ') }}))
    {%- endfor %}
)
{%- if again %}
or (kafka_topic, kafka_partition, kafka_offset) in (
    select
        kafka_topic,
        kafka_partition,
        kafka_offset
    from {{ events }}
    where {{ again }}
)
{%- endif %}
{%- endif -%}
{% endmacro %}
