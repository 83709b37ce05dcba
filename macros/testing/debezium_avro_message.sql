{% macro debezium_avro_message(name, changes={}) -%}
{%- set one = debezium_avro_schemas() | selectattr('name', 'equalto', name) | first -%}
{%- set record = changes if one.record is none else dict(one.record, **changes) -%}
X'{{ one.header }}{{ avro_datum(fromjson(one.schema), {'Value': record} if name == 'flat' else record) }}'
{%- endmacro %}
