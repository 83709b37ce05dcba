{# from_avro needs each schema as a literal, so they are read before the statement is written. #}
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
