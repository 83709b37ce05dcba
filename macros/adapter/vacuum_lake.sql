{#
    Removes the files that no table of silver and state needs any more: each run replaces some, and
    Delta keeps those for readers and for a look back. A dbt operation, for once a day or a week:

        dbt run-operation vacuum_lake --target local

    Bronze has none: nothing there is ever replaced.

    Arguments:
        days (integer): files that were replaced in the last so many days stay; Delta refuses less
            than 7.
        like (string): of which tables, by a pattern of `show tables`: `orders*|canal_events`.
#}
{% macro vacuum_lake(days=7, like='*') -%}
{#- Delta lists a table's files by as many tasks, and by default these are ten thousand -#}
{%- do run_query('set spark.sql.sources.parallelPartitionDiscovery.parallelism = 8') -%}
{%- set schemas = [state_schema()] -%}
{%- for node in graph.nodes.values() if node.resource_type == 'model' and node.package_name == 'changelake' and node.config.materialized in ('incremental', 'table') -%}
{%- do schemas.append(node.schema) -%}
{%- endfor -%}
{%- for schema in schemas | unique if adapter.check_schema_exists(none, schema) -%}
{%- set views = view_names(schema) -%}
{%- for name in run_query('show tables in ' ~ schema ~ ' like ' ~ sql_string(like)).columns['tableName'].values() if name not in views -%}
{%- do run_query('vacuum ' ~ schema ~ '.' ~ sql_name(name) ~ ' retain ' ~ days * 24 ~ ' hours') -%}
{%- endfor -%}
{%- endfor -%}
{%- endmacro %}
