{#
    What came for a current table since its last run, and where it was last truncated.

    Arguments:
        events (string): a select of the events with their feed's time zone.
        table (dictionary): the model's meta.
        state (relation): the state table; none: it is built anew.

    Returns: the dictionary of pending_batch(), and in it
        truncations (list of dictionaries): of the table, or of each shard, where the last truncate or
            drop stands (see truncation_struct()), and is_new
#}
{% macro pending_changes(events, table, state) -%}
{%- set pending = pending_batch(events, table, state) -%}
{%- set truncations = [] -%}
{%- if pending.properties.was_truncated -%}
{%- for text, is_new in run_query(_last_truncations(truncations_of(pending))).rows -%}
{%- do truncations.append(dict(fromjson(text), is_new=is_new)) -%}
{%- endfor -%}
{%- endif -%}
{%- do pending.update({
    'truncations': truncations,
    'is_truncated_now': truncations | selectattr('is_new') | list | length > 0,
}) -%}
{#- of the rows that are counted together nobody knows any more which came before it -#}
{%- if pending.state and pending.is_truncated_now and not table.key and run_query(
    'select 1 from ' ~ state ~ ' where not ' ~ is_truncation() ~ ' and not (' ~ is_before_truncation('_', pending.truncations, sql_name(table.shard or '')) ~ ') limit 1'
).rows -%}
{{ return(pending_changes(events, table, none)) }}
{%- endif -%}
{{ return(pending) }}
{%- endmacro %}

{#
    The last truncation of each shard. Within a partition the offset decides, across partitions the
    moment: one that comes late empties nothing that has come since.
#}
{% macro _last_truncations(truncations) -%}
select
    to_json(last.truncation),
    last.is_new
from (
    select if(
        count(distinct place) = 1,
        max_by(struct(truncation, is_new), struct(kafka_offset, is_new)),
        max_by(struct(truncation, is_new), struct(moment, kafka_offset, is_new))
    ) as last
    from (
{{ truncations }}
    )
    group by truncation.shard
)
{%- endmacro %}
