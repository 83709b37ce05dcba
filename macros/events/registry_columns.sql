{#
    The columns of bronze.registry_schemas, which has the schemas that landing has read from a schema registry:
    `header` is what stands in front of a datum, see registry_header(), `registry` the URL, `schema` Avro's text,
    in which `logicalType` is called `avro.logicalType`, so that a value is read as it stands there. The landing
    job reads the columns here too.
#}
{% macro registry_columns() -%}
header string, schema_id bigint, registry string, schema string, read_at timestamp
{%- endmacro %}
