{#
    The condition that keeps the messages of bronze that a table of events has not read yet: those
    behind the last offset of their topic and partition. The offsets are written as literals, so
    that Delta skips the files which hold nothing else but read messages; so are the places of those
    that are read again.

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
{% macro unread_messages(events, again) %}
{%- set recent = recently_landed(events) -%}
{%- if recent == 'true' -%}
true
{%- else -%}
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
{%- set places = run_query(
    'select landed_date, kafka_topic, kafka_partition, min(kafka_offset), max(kafka_offset) from ' ~ events
    ~ ' where ' ~ again ~ ' group by all order by all'
).rows -%}
{%- if places %}
or (
    {%- if places | length > 100 %}
    landed_date in ({% for day in places | map(attribute=0) | unique %}date'{{ day }}'{% if not loop.last %}, {% endif %}{% endfor %})
    {%- else %}
    (
        {%- for day, topic, partition, first, last in places %}
        {% if not loop.first %}or {% endif -%}
        (
            landed_date = date'{{ day }}' and kafka_topic = {{ sql_string(topic) }}
            and kafka_partition = {{ partition }} and kafka_offset between {{ first }} and {{ last }}
        )
        {%- endfor %}
    )
    {%- endif %}
    and (kafka_topic, kafka_partition, kafka_offset) in (
        select
            kafka_topic,
            kafka_partition,
            kafka_offset
        from {{ events }}
        where {{ again }}
    )
)
{%- endif %}
{%- endif %}
{%- endif -%}
{% endmacro %}
