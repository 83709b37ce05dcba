{#
    The rows of a state that remember where the source table, or a shard of it, was truncated, for the
    events from before that point which come later. They are no row of the source's. The statement
    that empties the table writes them.

    Arguments:
        columns (list of dictionaries): the declared columns, see declared_column().
        truncations (list of dictionaries): see pending_changes() and pending_versions().
        metadata (list of string): the state's columns behind _undecodable.
        values (dictionary): of these the expressions of those that neither say where it was nor are
            null.

    Returns: selects of _key, the declared columns, _undecodable and `metadata`, each behind a
    `union all`.
#}
{% macro truncation_rows(columns, truncations, metadata, values) -%}
{%- for truncation in truncations if truncation.is_new %}
{%- set literals = truncation_literals(truncation) -%}
{%- set known = dict({
    '_committed_at': timestamp_literal(truncation.get('committed_at')),
    '_changed_at': literals.changed_at,
    '_captured_at': literals.captured_at,
    '_message_number': literals.message_number,
    '_kafka_topic': literals.kafka_topic,
    '_kafka_partition': literals.kafka_partition,
    '_kafka_offset': literals.kafka_offset,
    '_source_position': sql_string(truncation.get('source_position')),
}, **values) %}
union all
select
    {{ truncation_key(truncation) }},
    {%- for column in columns %}
    null,
    {%- endfor %}
    null
    {%- for name in metadata %},
    {{ known.get(name, 'null') }}
    {%- endfor %}
{%- endfor %}
{%- endmacro %}
