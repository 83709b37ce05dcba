{#
    The row of a table of versions that remembers where its source table was emptied; it is no version.

    Arguments:
        columns (list of dictionaries): the declared columns, see declared_column().
        emptying (dictionary): where, see history_news().
        news (dictionary): see history_news().

    Returns: a select of the columns of history_versions().
#}
{% macro emptying_version(columns, emptying, news) -%}
{%- set values = {
    '_operation': "'truncate'",
    '_committed_at': 'cast(' ~ sql_string(emptying.committed_at) ~ ' as timestamp)',
    '_changed_at': 'cast(' ~ sql_string(emptying.changed_at) ~ ' as timestamp)',
    '_kafka_topic': sql_string(emptying.kafka_topic),
    '_kafka_partition': emptying.kafka_partition,
    '_kafka_offset': emptying.kafka_offset,
    '_source_position': sql_string(emptying.source_position),
    '_row_change': -1,
    '_is_spread': 'false',
    '_is_boundary': 'false',
    '_is_last': 'false',
    '_batch': news.batch,
} -%}
select
    {{ emptying_key(emptying) }},
    {%- for column in columns %}
    null,
    {%- endfor %}
    null
    {%- for name in history_metadata() %},
    {{ values.get(name, 'null') }}
    {%- endfor %}
{%- endmacro %}
