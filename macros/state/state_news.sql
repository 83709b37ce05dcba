{#
    What came for a table since its last run, so that the statement holds the steps it needs and no
    others: most runs see complete images of one partition, and nothing that empties the table.

    The last batch of events that a state table has seen stands in its rows: the merge that
    applies a batch writes it in the same commit.

    Arguments:
        events (string): a select of the events, the model's SQL.
        table (dictionary): the model's meta.
        state (relation): the state table.

    Returns: a dictionary with
        since (integer): the last batch seen, and batch (integer or none): the last new one
        partitions (integer): in how many the events stand
        partial_rows, positions (integer): how many hold a partial image, and a source position
        emptyings (list of dictionaries): of the table, or of each shard, where the last truncate or
            drop stands (see emptying_struct()), and is_new
        state (relation): the state table, none where this run makes it
        is_emptied_now (boolean): whether one of these is among the news
#}
{% macro state_news(events, table, state) -%}
{%- set since = 0 -%}
{%- set emptyings = {} -%}
{%- set is_there = state_exists(state) -%}
{%- if is_there -%}
{%- set since = run_query('select max(_batch) from ' ~ state).columns[0][0] or 0 -%}
{%- for row in run_query('select to_json(' ~ emptying_struct('_') ~ ') from ' ~ state ~ ' where ' ~ is_emptying()).rows -%}
{%- set one = fromjson(row[0]) -%}
{%- do emptyings.update({one.shard: dict(one, is_new=false)}) -%}
{%- endfor -%}
{%- endif -%}
{%- set new_events = '(' ~ events_of_table(events, table) ~ ') where parse_batch > ' ~ since -%}
{%- set news = run_query("
    select
        count(distinct kafka_topic, kafka_partition) as partitions,
        count_if(" ~ lacks_columns(table.columns) ~ ") as partial_rows,
        count(source_position) as positions,
        count_if(" ~ empties_table() ~ ") as emptyings,
        max(parse_batch) as batch
    from " ~ new_events
).rows[0] -%}
{%- if news.emptyings -%}
{#- Within a partition the offset decides, across partitions there is only the time -#}
{%- for row in run_query("
    select to_json(if(
        count(distinct kafka_topic, kafka_partition) = 1,
        max_by(" ~ emptying_struct() ~ ", kafka_offset),
        max_by(" ~ emptying_struct() ~ ", struct(committed_at, kafka_offset))
    ))
    from " ~ new_events ~ " and " ~ empties_table() ~ "
    group by shard"
).rows -%}
{%- set one = fromjson(row[0]) -%}
{%- do emptyings.update({one.shard: dict(one, is_new=true)}) -%}
{%- endfor -%}
{%- endif -%}
{{ return({
    'since': since,
    'partitions': news.partitions,
    'partial_rows': news.partial_rows or 0,
    'positions': news.positions or 0,
    'emptyings': emptyings.values() | list,
    'is_emptied_now': news.emptyings > 0,
    'batch': news.batch,
    'state': state if is_there else none,
}) }}
{%- endmacro %}
