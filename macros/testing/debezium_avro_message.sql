{#
    A message in one of the schemas of debezium_avro_schemas(), as a literal of SQL; values as avro_message() takes them.

    Arguments:
        name (string): the schema's.
        changes (dictionary): what differs from its record, by field.
#}
{% macro debezium_avro_message(name, changes={}) -%}
{%- set one = debezium_avro_schemas() | selectattr('name', 'equalto', name) | first -%}
{%- set schema = fromjson(one.schema) -%}
{%- set known = {} -%}
{%- set record = changes -%}
{%- if one.record is not none -%}
{%- set record = dict(one.record, **changes) -%}
{%- set record = {'Value': record} if name == 'flat' else record -%}
{%- endif -%}
{{ _avro_register(schema, known) }}X'{{ one.header }}{{ _avro_hex(schema, record, known) }}'
{%- endmacro %}
