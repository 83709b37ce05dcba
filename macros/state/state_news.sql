{#
    What came for a table since its last run, so that the statement holds the steps it needs and no
    others: most runs see complete images of one partition, and nothing that empties the table.

    The last batch of events that a state table has seen stands in its rows: the merge that
    applies a batch writes it in the same commit.

    Arguments:
        events (string): a select of the events, the model's SQL.
        table (dictionary): the model's meta.
        state (relation): the state table.

    Returns: a dictionary with since (the last batch seen), partitions (how many the events stand
    in), partial_rows, emptied: the position of the last truncate or drop, or none; is_emptied_now:
    whether that is among the news; and batch.
#}
{% macro state_news(events, table, state) -%}
{%- set since = 0 -%}
{%- set before = none -%}
{%- if state_exists(state) -%}
{%- set since = run_query('select max(_batch) from ' ~ state).columns[0][0] or 0 -%}
{#- Delta knows the smallest key of each file: this reads one of them at most -#}
{%- set before = run_query("
    select to_json(struct(
        _kafka_topic as kafka_topic, _kafka_partition as kafka_partition, _kafka_offset as kafka_offset,
        _source_position as source_position, cast(_committed_at as string) as committed_at
    ))
    from " ~ state ~ " where _key = ''"
).columns[0] | first -%}
{%- set before = fromjson(before) if before else none -%}
{%- endif -%}
{%- set news = run_query("
    select
        count(distinct kafka_topic, kafka_partition) as partitions,
        count_if(" ~ lacks_columns(table.columns) ~ ") as partial_rows,
        to_json(max_by(emptying, kafka_offset) filter (where emptying is not null)) as last_by_offset,
        to_json(max_by(emptying, struct(committed_at, kafka_offset)) filter (where emptying is not null)) as last_by_time,
        count(distinct emptying.kafka_topic, emptying.kafka_partition) as emptying_partitions,
        max(parse_batch) as batch
    from (
        select
            *,
            case when event_type = 'truncate' or operation = 'drop' then struct(
                kafka_topic, kafka_partition, kafka_offset, source_position, cast(committed_at as string) as committed_at
            ) end as emptying
        from (" ~ events ~ ")
    )
    where " ~ events_of_table(table) ~ " and parse_batch > " ~ since
).rows[0] -%}
{#- Within a partition the offset decides, across partitions there is only the time -#}
{%- set emptied = news.last_by_offset if news.emptying_partitions == 1 else news.last_by_time -%}
{{ return({
    'since': since,
    'partitions': news.partitions,
    'partial_rows': news.partial_rows or 0,
    'emptied': fromjson(emptied) if news.emptying_partitions else before,
    'is_emptied_now': news.emptying_partitions > 0,
    'batch': news.batch,
}) }}
{%- endmacro %}
