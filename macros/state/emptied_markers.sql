{#
    The rows of the state table that remember where the table, or a shard of it, was last emptied;
    they count as deleted. Written by the same merge that empties the table, for the events from
    before that point that come later.

    Arguments:
        columns (list of dictionaries): the declared columns, see declared_column().
        table (dictionary): the model's meta.
        news (dictionary): see state_news().

    Returns: selects of the columns of rebuild_table(), each behind a `union all`.
#}
{% macro emptied_markers(columns, table, news) -%}
{%- for emptied in news.emptyings if emptied.is_new %}
union all
select
    {{ emptying_key(emptied) }} as _key,
    {%- for column in columns %}
    cast(null as {{ column.type }}),
    {%- endfor %}
    null as _undecodable,
    cast({{ sql_string(emptied.committed_at) }} as timestamp) as _committed_at,
    null as _feed,
    {{ sql_string(emptied.kafka_topic) }} as _kafka_topic,
    {{ emptied.kafka_partition }} as _kafka_partition,
    {{ emptied.kafka_offset }} as _kafka_offset,
    {{ sql_string(emptied.source_position) }} as _source_position,
    {{ 'null' if table.key else '0' }} as _row_count,
    {{ 'true' if table.key else 'false' }} as _is_deleted,
    {{ news.batch }} as _batch,
    null as _present
{%- endfor -%}
{%- endmacro %}
