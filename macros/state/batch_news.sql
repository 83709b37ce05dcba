{#
    What came for a table since its last run, counted, so that the statement holds the steps it needs
    and no others: most runs see complete images of one partition, and nothing that empties the table.

    The last batch of events that a state table has seen stands in its rows: the merge that
    applies a batch writes it in the same commit.

    Arguments:
        events (string): a select of the events, the model's SQL.
        table (dictionary): the model's meta.
        state (relation): the state table.

    Returns: a dictionary with
        state (relation): the state table, none where this run makes it
        since (integer): the last batch seen, and batch (integer or none): the last new one
        new_events (string): the new events, as what stands behind `from`
        partitions (integer): in how many they stand
        partial_rows, positions (integer): how many hold a partial image, and a source position
        is_emptied_now (boolean): whether they empty the table
        may_be_late (boolean): whether some may be older than what the state has: of another
            partition, of rejects that were parsed again, or of several batches, the first of which
            may have had such
#}
{% macro batch_news(events, table, state) -%}
{%- set is_there = state_exists(state) -%}
{%- set since = (run_query('select max(_batch) from ' ~ state).columns[0][0] or 0) if is_there else 0 -%}
{%- set new_events = '(' ~ events_of_table(events, table) ~ ') where parse_batch > ' ~ since -%}
{%- set news = run_query("
    select
        count(distinct kafka_topic, kafka_partition) as partitions,
        count_if(" ~ lacks_columns(table) ~ ") as partial_rows,
        count(source_position) as positions,
        count_if(" ~ empties_table() ~ ") as emptyings,
        max(parse_batch) as batch,
        count(distinct parse_batch) as batches
    from " ~ new_events
).rows[0] -%}
{{ return({
    'state': state if is_there else none,
    'since': since,
    'batch': news.batch,
    'new_events': new_events,
    'partitions': news.partitions,
    'partial_rows': news.partial_rows or 0,
    'positions': news.positions or 0,
    'is_emptied_now': news.emptyings > 0,
    'may_be_late': news.partitions > 1 or news.batches > 1 or var('changelake_retry_rejects', false),
}) }}
{%- endmacro %}
