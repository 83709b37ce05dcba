{#
    The condition that keeps the messages of bronze that a table of events has not read yet: those
    behind the last offset of their topic and partition. The offsets are written as literals, so
    that Delta skips the files which hold nothing else but read messages.

    Every message leaves at least one row in the table of events, so the last offset of a
    partition is the largest one there. Only the two last landed dates are looked at, on both
    sides, lest a run cost what all its predecessors did: a micro-batch is committed within a day
    of its landing time, and a build reads all that is committed.

    Arguments:
        events (relation): the table of events, as it is before this run.
        again (string): a condition on `events`, whose messages are read once more (rejects after
            a fix, halves that wait for the other one); none if empty.
#}
{% macro unread_messages(events, again='') %}
{%- set since = run_query('select date_sub(max(landed_date), 1) from ' ~ events).columns[0][0] -%}
{%- if since is none -%}
true
{%- else -%}
{%- set read = run_query(
    "select kafka_topic, kafka_partition, max(kafka_offset) from " ~ events
    ~ " where landed_date >= date'" ~ since ~ "' group by all order by all"
) -%}
(
    landed_date >= date'{{ since }}'
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
