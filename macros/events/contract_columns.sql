{% macro contract_columns() -%}
{{ return([
    'feed', 'format', 'kafka_topic', 'kafka_partition', 'kafka_offset', 'kafka_timestamp', 'row_index',
    'event_type', 'operation', 'source_name', 'source_type', 'database_name', 'schema_name', 'table_name',
    'key_columns', 'before', 'after', 'is_partial', 'column_types', 'committed_at', 'captured_at',
    'source_position', 'transaction_id', 'ddl', 'landed_at',
]) }}
{%- endmacro %}
