{% macro as_of(history, at=none, position=none, offsets=none) -%}
{%- if [at, position, offsets] | reject('none') | list | length != 1 -%}
{{ exceptions.raise_compiler_error('as_of(' ~ history ~ '): give one of at, position and offsets') }}
{%- endif -%}
{%- if at -%}
{#- a bare date, as of `run_started_at`, would be a subtraction -#}
{%- set at = "timestamp'" ~ at ~ "'" if (at | string)[:4].isdigit() and (at | string)[4:5] == '-' else at -%}
(
    select *
    from {{ history }}
    where _valid_from <= {{ at }} and coalesce(_valid_to > {{ at }}, true)
)
{%- elif not execute -%}
{#- while dbt parses the project, neither the other models nor the table can be queried -#}
(select * from {{ history }})
{%- else -%}
{%- set reached -%}
{%- if position is not none -%}
{#- a snapshot row has no position: it comes after the highest one that its key had before -#}
{%- set point = position_numbers(sql_string(position)) -%}
coalesce({{ position_numbers('_source_position') }} <= {{ point }}, _operation = 'snapshot' and coalesce(_last_position <= {{ point }}, true))
{%- else -%}
{{ _within(offsets) }}
{%- endif -%}
{%- endset -%}
{%- for node in graph.nodes.values() if position and node.config.materialized == 'history_table' and node.relation_name == history | string and declared_table(node).shards -%}
{{ exceptions.raise_compiler_error(history ~ ' is made of shards, which have no positions in common: give `at`') }}
{%- endfor -%}
{%- set state = state_table(history, '__history') -%}
{%- if offsets -%}
{%- set topics, partitions, counts = run_query('select count(distinct _kafka_topic), count(distinct _kafka_topic, _kafka_partition), count(_row_count) from ' ~ state).rows[0].values() -%}
{%- if offsets.values() | first is not mapping and topics > 1 -%}
{{ exceptions.raise_compiler_error(history ~ ' is made of several topics: give `offsets` as topic → partition → offset') }}
{%- endif -%}
{%- if counts and partitions > 1 -%}
{{ exceptions.raise_compiler_error(history ~ ' has no key, and counts equal rows of its partitions together: give `at`') }}
{%- endif -%}
{%- endif -%}
{%- if run_query('select 1 from ' ~ state ~ " where startswith(_key, '!') limit 1").rows -%}
{{ exceptions.raise_compiler_error(history ~ ' is made of shards, which were truncated one by one: give `at`') }}
{%- endif -%}
{%- if position is not none -%}
{%- do _check_position(history, state, position) -%}
{%- endif -%}
{%- set shown = ['_operation'] + shown_metadata() + ['_row_count'] -%}
{#- a state table of an earlier version of the project may lack columns until the next changes -#}
{%- set present = columns_of_state(state) -%}
(
    select * except (_key, {{ history_metadata() | reject('in', shown) | select('in', present) | join(', ') }}, _place)
    from (
        select
            *,
            row_number() over (partition by _key order by _sequence desc) as _place
        from {{ state }}
        where _is_boundary
            and ({{ reached }})
            -- not from before the table was truncated, nor from behind a truncation that is not reached; at its
            -- offset, a row can be after a truncation in another partition
            and _epoch {{ '>=' if offsets else '=' }} (select count(*) from {{ state }} where {{ is_truncation_marker() }} and ({{ reached }}))
    )
    where _place = 1
        and coalesce(_row_count, _row_change) > 0
)
{%- endif -%}
{%- endmacro %}

{# Without an error, a position that cannot be compared would find no rows. #}
{% macro _check_position(history, state, position) -%}
{%- if run_query('select 1 from ' ~ state ~ ' where ' ~ is_truncation_marker() ~ ' and _source_position is null limit 1').rows -%}
{{ exceptions.raise_compiler_error(history ~ ' has truncations without a position: give `at`') }}
{%- endif -%}
{%- set found = run_query(
    'select _source_position, size(' ~ position_numbers(sql_string(position)) ~ ') > 0 from ' ~ state ~ ' where _source_position is not null limit 1'
).rows -%}
{%- if found and not found[0][1] -%}
{{ exceptions.raise_compiler_error(history ~ " has no position '" ~ position ~ "': write one as `_source_position` has it, such as '" ~ found[0][0] ~ "'") }}
{#- rows of a snapshot are there at any position -#}
{%- elif not found and run_query('select 1 from ' ~ state ~ " where _operation != 'snapshot' limit 1").rows -%}
{{ exceptions.raise_compiler_error(history ~ ' has no positions, as its messages tell none: give `at` or `offsets`') }}
{%- endif -%}
{%- endmacro %}

{# Whether a change is at or before one of the offsets. #}
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
