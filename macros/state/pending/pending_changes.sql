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
{%- if pending.state and pending.is_truncated_now and not table.key and _counts_later_rows(state, table, pending.truncations) -%}
{#- the table is rebuilt -#}
{{ return(pending_changes(events, table, none)) }}
{%- endif -%}
{{ return(pending) }}
{%- endmacro %}

{#
    Whether a state counts rows whose last change is not before a truncation, including rows of other shards. Counted rows
    cannot be told apart, so it is unknown which of them existed before it.
#}
{% macro _counts_later_rows(state, table, truncations) -%}
{{ return(run_query(
    'select 1 from ' ~ state ~ ' where not ' ~ is_truncation_marker() ~ ' and not (' ~ is_before_truncation('_', truncations, sql_name(table.shard or '')) ~ ') limit 1'
).rows | length > 0) }}
{%- endmacro %}

{#
    The last truncation of each shard. Within a partition the offset decides, across partitions the
    moment: a late truncation leaves the rows that were changed after it.
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
