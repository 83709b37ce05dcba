{#
    The schemas that the lake has of a schema registry's, see registry_columns().

    A statement names each of them, since from_avro wants its schema as a literal.

    Arguments:
        table (relation): bronze.registry_schemas, or a seed with its columns header and schema.

    Returns: a list of dictionaries with header and schema, in the order of the headers; empty while dbt parses,
    and of a format that no feed has. In a unit test, whose inputs are no tables, those that
    debezium_avro_message() writes with.
#}
{% macro registry_schemas(table) -%}
{%- set schemas = [] -%}
{%- if not execute -%}
{{ return(schemas) }}
{%- elif table.is_cte -%}
{{ return(debezium_avro_schemas()) }}
{%- elif 'debezium_avro' in formats_in_use() and (target.name == 'sample' or has_bronze_table(table, registry_columns(), '', "'delta.appendOnly' = 'true'")) -%}
{%- for header, schema in run_query('select header, max(schema) from ' ~ table ~ ' group by header order by header').rows -%}
{%- do schemas.append({'header': header, 'schema': schema}) -%}
{%- endfor -%}
{%- endif -%}
{{ return(schemas) }}
{%- endmacro %}
