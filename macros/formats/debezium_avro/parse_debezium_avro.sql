{#
    Debezium's messages through a converter that writes Avro and keeps the schemas in a registry:
    Confluent's AvroConverter, or Apicurio's. What they hold is what Debezium's JSON holds, so they are read
    as that. See docs/formats/debezium_avro.md.

    Arguments:
        messages (string): a relation or CTE with bronze's columns.
        operations (string): the relation of the seed operation_codes.
        schemas (list of dictionaries): see registry_schemas().

    Returns: a select of the contract's columns and the outcome's, one row per event.
#}
{% macro parse_debezium_avro(messages, operations, schemas) %}
with as_json as (
    {{ _debezium_avro_as_json(messages, schemas) }}
)

select *
from ({{ parse_debezium('as_json', operations, format='debezium_avro') }})
{% endmacro %}
