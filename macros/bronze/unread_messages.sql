{#
    Nothing is read if another run has parsed since the range was determined: the statement of a
    killed client may still be running in the server, and two builds can overlap. The condition is
    part of the statement that appends, so that Delta sees the dependency: if two overlap, one fails;
    if one follows the other, it appends nothing.
#}
{% macro unread_messages(range, again='') -%}
{%- set pinned = range.bronze ~ (' version as of ' ~ range.version if range.version is not none else '') -%}
{%- set format = range.bronze.identifier -%}
{%- if range.last_batch is none -%}
{%- do run_notes().parsed.update({format: range.batch}) if range.version is not none -%}
select *
    from {{ pinned }}
{%- else -%}
{%- do run_notes().ranges.update({model.unique_id: range}) -%}
{%- set conditions = [again, "outcome = 'rejected'" if var('changelake_retry_rejects', false) else ''] | select | list -%}
{%- set again = '(' ~ conditions | join(' or ') ~ ') and parse_batch <= ' ~ range.last_batch -%}
{%- set places = _places_again(range.events, again) if conditions else [] -%}
{%- if range.since is not none -%}
{%- if range.since != range.version -%}
{%- do run_notes().parsed.update({format: range.batch}) -%}
{%- elif not places -%}
{%- do run_notes().parsed.update({format: range.last_batch}) -%}
{%- do run_notes().idle.append(model.unique_id) -%}
{%- endif -%}
{%- endif -%}
{{ _new_messages(range, pinned) }}
    and {{ _no_other_run(range) }}
    {%- if places %}
{%- do run_notes().reread.append(model.unique_id) %}
{{ _messages_again(range.events, pinned, again, places) }}
    and {{ _no_other_run(range) }}
    {%- endif %}
{%- endif -%}
{%- endmacro %}

{# Whether no other run has parsed since this one looked: its batch would come after theirs, unseen. #}
{% macro _no_other_run(range) -%}
not exists (select 1 from {{ range.events }} where parse_batch > {{ range.last_batch }})
{%- endmacro %}

{% macro _new_messages(range, pinned) -%}
{%- if range.since is none -%}
select messages.*
    from {{ pinned }} as messages
    left join (
        select
            kafka_topic,
            kafka_partition,
            max(kafka_offset) as last_offset
        from {{ range.events }}
        group by kafka_topic, kafka_partition
    ) as parsed
        on messages.kafka_topic = parsed.kafka_topic and messages.kafka_partition = parsed.kafka_partition
    where coalesce(messages.kafka_offset > parsed.last_offset, true)
{%- elif range.since == range.version -%}
select *
    from {{ pinned }}
    where false
{%- else -%}
select * except (_change_type, _commit_version, _commit_timestamp)
    from table_changes('{{ range.bronze }}', {{ range.since + 1 }}, {{ range.version }})
    where _change_type = 'insert'
{%- endif -%}
{%- endmacro %}

{# The ranges of the messages to read again, by day, topic and partition. #}
{% macro _places_again(events, again) -%}
{{ return(run_query(
    'select landed_date, kafka_topic, kafka_partition, min(kafka_offset), max(kafka_offset) from ' ~ events
    ~ ' where ' ~ again ~ ' group by all order by all'
).rows) }}
{%- endmacro %}

{# The ranges are literals, so that Delta skips files; if there are many, only the days are. #}
{% macro _messages_again(events, pinned, again, places) %}
    union all
    select *
    from {{ pinned }}
    where (
        {%- if places | length > 100 %}
        landed_date in ({% for day in places | map(attribute=0) | unique(case_sensitive=true) %}date'{{ day }}'{% if not loop.last %}, {% endif %}{% endfor %})
        {%- else %}
        {%- for day, topic, partition, first, last in places %}
        {% if not loop.first %}or {% endif -%}
        (
            landed_date = date'{{ day }}' and kafka_topic = {{ sql_string(topic) }}
            and kafka_partition = {{ partition }} and kafka_offset between {{ first }} and {{ last }}
        )
        {%- endfor %}
        {%- endif %}
    )
    and (kafka_topic, kafka_partition, kafka_offset) in (
        select
            kafka_topic,
            kafka_partition,
            kafka_offset
        from {{ events }}
        where {{ again }}
    )
{%- endmacro %}
