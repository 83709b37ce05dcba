{#
    The rows of a state that remember where the source table, or a shard of it, was emptied, for the
    events from before that point which come later. They are no row of the source's. The statement
    that empties the table writes them.

    Arguments:
        columns (list of dictionaries): the declared columns, see declared_column().
        emptyings (list of dictionaries): see state_news() and history_news().
        metadata (list of string): the state's columns behind _undecodable.
        values (dictionary): of these the expressions of those that neither say where it was nor are
            null.

    Returns: selects of _key, the declared columns, _undecodable and `metadata`, each behind a
    `union all`.
#}
{% macro emptying_rows(columns, emptyings, metadata, values) -%}
{%- for emptying in emptyings if emptying.is_new %}
{%- set literals = emptying_literals(emptying) -%}
{%- set known = dict({
    '_committed_at': _timestamp_literal(emptying.get('committed_at')),
    '_changed_at': literals.changed_at,
    '_captured_at': literals.captured_at,
    '_message_number': literals.message_number,
    '_kafka_topic': literals.kafka_topic,
    '_kafka_partition': literals.kafka_partition,
    '_kafka_offset': literals.kafka_offset,
    '_source_position': sql_string(emptying.get('source_position')),
}, **values) %}
union all
select
    {{ emptying_key(emptying) }},
    {%- for column in columns %}
    null,
    {%- endfor %}
    null
    {%- for name in metadata %},
    {{ known.get(name, 'null') }}
    {%- endfor %}
{%- endfor %}
{%- endmacro %}
