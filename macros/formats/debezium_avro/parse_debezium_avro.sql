{% macro parse_debezium_avro(messages, operations, schemas) %}
with as_json as (
    {{ _debezium_avro_as_json(messages, schemas) }}
)

select *
from ({{ parse_debezium('as_json', operations, format='debezium_avro') }})
{% endmacro %}
