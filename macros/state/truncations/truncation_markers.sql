{#
    Late events from before a truncation are compared with these rows. The statement that truncates
    the table writes them.
#}
{% macro truncation_markers(columns, truncations, metadata, values) -%}
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
