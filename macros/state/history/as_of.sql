{#
    The rows of a source table as they were, from its history. For example, in a model or with
    `dbt show --inline`:

        select * from {{ as_of(ref('shop__orders__history'), at="timestamp'2026-03-01 08:00:00'") }}

    Arguments, of which exactly one of the last three is given:
        history (relation): a history table.
        at (string): an expression of type timestamp: versions begin at their time and end before
            the next one's.
        position (string): a position in the source's log, as source_position has it: all changes up
            to and including it. Only for dialects that carry positions.
        offsets (dictionary): partition of the table's topic → offset, or, of a table of several topics,
            topic → such a dictionary: all changes up to and including them; a partition that is not
            named counts from its beginning to nowhere.

    Returns: a relation with the history table's columns; by position or offsets without those of validity, and with a _row_count of null where there is a key.
#}
{% macro as_of(history, at=none, position=none, offsets=none) -%}
{%- if [at, position, offsets] | reject('none') | list | length != 1 -%}
{{ exceptions.raise_compiler_error('as_of(' ~ history ~ '): give one of at, position and offsets') }}
{%- endif -%}
{%- if at -%}
(
    select *
    from {{ history }}
    where _valid_from <= {{ at }} and coalesce(_valid_to > {{ at }}, true)
)
{%- else -%}
{%- set reached -%}
{%- if position -%}
coalesce({{ position_numbers('_source_position') }} <= {{ position_numbers(sql_string(position)) }}, _operation = 'snapshot')
{%- else -%}
{{ _within(offsets) }}
{%- endif -%}
{%- endset -%}
{%- for node in graph.nodes.values() if execute and position and node.config.materialized == 'history_table' and node.relation_name == history | string and declared_table(node).shards -%}
{{ exceptions.raise_compiler_error(history ~ ' is made of shards, which have no positions in common: give `at`') }}
{%- endfor -%}
{%- set state = state_table(history, '__history') -%}
{%- if offsets and execute and offsets.values() | first is not mapping and run_query('select count(distinct _kafka_topic) from ' ~ state).columns[0][0] > 1 -%}
{{ exceptions.raise_compiler_error(history ~ ' is made of several topics: give `offsets` as topic → partition → offset') }}
{%- endif -%}
{%- if execute and run_query('select 1 from ' ~ state ~ " where startswith(_key, '!') limit 1").rows -%}
{{ exceptions.raise_compiler_error(history ~ ' is made of shards, which were truncated one by one: give `at`') }}
{%- endif -%}
{%- set shown = ['_operation', '_committed_at', '_feed', '_kafka_topic', '_kafka_partition', '_kafka_offset', '_row_count'] -%}
(
    select * except (_key, {{ history_metadata() | reject('in', shown) | join(', ') }}, _place)
    from (
        select
            *,
            row_number() over (partition by _key order by _sequence desc) as _place
        from {{ state }}
        where _is_boundary and ({{ reached }})
    )
    where _place = 1
        and coalesce(_row_count, _row_change) > 0
        -- not from before the table was truncated
        and _epoch = (select count(*) from {{ state }} where {{ is_truncation() }} and ({{ reached }}))
)
{%- endif -%}
{%- endmacro %}

{# Whether a change stands at one of the offsets or before it. #}
{% macro _within(offsets) -%}
{%- set reached = [] -%}
{%- for topic, partitions in (offsets.items() if offsets.values() | first is mapping else [(none, offsets)]) -%}
{%- for partition, offset in partitions.items() -%}
{%- do reached.append(
    '(' ~ ('_kafka_topic = ' ~ sql_string(topic) ~ ' and ' if topic is not none)
    ~ '_kafka_partition = ' ~ partition ~ ' and _kafka_offset <= ' ~ offset ~ ')'
) -%}
{%- endfor -%}
{%- endfor -%}
{{ reached | join(' or ') or 'false' }}
{%- endmacro %}
