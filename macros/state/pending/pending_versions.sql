{% macro pending_versions(events, table, state) -%}
{%- set document = document_column(table.columns) -%}
{%- if document and document.mask -%}
{{ exceptions.raise_compiler_error(model.name ~ " is made of documents that the column " ~ document.name ~ " masks, to which no patch can be applied: remove this model, or the column") }}
{%- endif -%}
{%- set pending = pending_batch(events, table, state) -%}
{%- set known = pending.built.get('place', pending.first_place) -%}
{%- do pending.properties.update(seen_properties(pending.built, {
    'has_partial': pending.partial_rows > 0,
    'has_positions': pending.positions > 0,
    'was_spread': pending.batch and [pending.first_place, pending.last_place] != [known, known],
}), **({'place': known} if known else {})) -%}
{%- set truncations = _numbered_truncations(_distinct_truncations(pending, table)) if pending.properties.was_truncated else [] -%}
{%- do pending.update({
    'truncations': truncations,
    'is_rewrite': pending.state is not none and _may_precede_rows(pending.state, truncations),
}) -%}
{{ return(pending) }}
{%- endmacro %}

{# The truncations in order, each once, though it may have been sent or parsed again. #}
{% macro _distinct_truncations(pending, table) -%}
{%- set by_place = {} -%}
{%- for text, is_new in run_query(_truncations_in_order(truncations_of(pending))).rows -%}
{%- set one = fromjson(text) -%}
{#- a repeated truncation truncates nothing; without a key it does, or the rows after it would be counted twice -#}
{%- set place = (one.shard, one.source_position, one.committed_at) if one.source_position and table.key
    else (one.kafka_topic, one.kafka_partition, one.kafka_offset) -%}
{%- if place not in by_place or (by_place[place].is_new and not is_new) -%}
{%- do by_place.update({place: dict(one, is_new=is_new)}) -%}
{%- endif -%}
{%- endfor -%}
{{ return(by_place.values() | list) }}
{%- endmacro %}

{# The truncations with their `number` and `is_repeat`. #}
{% macro _numbered_truncations(distinct) -%}
{%- set truncations = [] -%}
{%- set numbers = {} -%}
{%- set times = {} -%}
{%- for one in distinct -%}
{#- one without a position truncates again what has come since, such as a load without positions -#}
{%- set time = (one.shard, one.source_position, one.committed_at) if one.source_position
    else (one.shard, one.kafka_topic, one.kafka_partition, one.committed_at, one.captured_at, one.message_number) -%}
{%- set is_timed = one.source_position or one.committed_at or one.captured_at -%}
{%- do truncations.append(dict(one, number=numbers.get(one.shard, 0), is_repeat=is_timed and time in times)) -%}
{%- do times.update({time: true}) -%}
{%- do numbers.update({one.shard: numbers.get(one.shard, 0) + 1}) -%}
{%- endfor -%}
{{ return(truncations) }}
{%- endmacro %}

{#
    Whether a state has rows that a new truncation may precede. Only a change before all new truncations in
    their one partition is certainly earlier. If truncations are in several partitions, no change is.
#}
{% macro _may_precede_rows(state, truncations) -%}
{%- set first_offsets = {} -%}
{%- for one in truncations if one.is_new -%}
{%- set place = (one.kafka_topic, one.kafka_partition) -%}
{%- do first_offsets.update({place: [one.kafka_offset, first_offsets.get(place, one.kafka_offset)] | min}) -%}
{%- endfor -%}
{%- set others = [] -%}
{%- for (topic, partition), offset in first_offsets.items() -%}
{%- do others.append('not (_kafka_topic = ' ~ sql_string(topic) ~ ' and _kafka_partition = ' ~ partition ~ ' and _kafka_offset < ' ~ offset ~ ')') -%}
{%- endfor -%}
{{ return(others != [] and run_query('select 1 from ' ~ state ~ ' where ' ~ others | join(' or ') ~ ' limit 1').rows | length > 0) }}
{%- endmacro %}

{#
    In the order in which they truncated the table, or each of its shards: within a partition the offset
    decides, across partitions the moment.
#}
{% macro _truncations_in_order(truncations) -%}
select
    to_json(truncation),
    is_new
from (
    select
        *,
        min(place) over (partition by truncation.shard) = max(place) over (partition by truncation.shard) as is_one_partition
    from (
{{ truncations }}
    )
)
order by truncation.shard, if(is_one_partition, null, moment), kafka_offset, is_new
{%- endmacro %}
