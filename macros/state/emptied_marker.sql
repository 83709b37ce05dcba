{#
    The row of the state table that remembers where the table was last emptied: its key is the empty
    text, which no row has, and it counts as deleted. Written by the same merge that empties the
    table, for the events from before that point that come later.

    Arguments:
        columns (list of dictionaries): the declared columns, see declared_column().
        table (dictionary): the model's meta.
        news (dictionary): see state_news().

    Returns: a select of the columns of rebuild_table().
#}
{% macro emptied_marker(columns, table, news) -%}
select
    '' as _key,
    {%- for column in columns %}
    cast(null as {{ column.type }}),
    {%- endfor %}
    null as _undecodable,
    cast({{ sql_string(news.emptied.committed_at) }} as timestamp) as _committed_at,
    null as _feed,
    {{ sql_string(news.emptied.kafka_topic) }} as _kafka_topic,
    {{ news.emptied.kafka_partition }} as _kafka_partition,
    {{ news.emptied.kafka_offset }} as _kafka_offset,
    {{ sql_string(news.emptied.source_position) }} as _source_position,
    {{ 'null' if table.key else '0' }} as _row_count,
    {{ 'true' if table.key else 'false' }} as _is_deleted,
    {{ news.batch }} as _batch,
    null as _present
{%- endmacro %}
