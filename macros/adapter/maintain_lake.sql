{% macro maintain_lake(days=7, like='*') -%}
{%- do _set_for_vacuum(is_checked='true') -%}
{%- do _remove_old_tombstones(like) -%}
{%- set schemas = [state_schema()] -%}
{%- for node in graph.nodes.values() if node.resource_type == 'model' and node.package_name == 'changelake' and node.config.materialized in ('incremental', 'table') -%}
{%- do schemas.append(node.schema) -%}
{%- endfor -%}
{%- for schema in schemas | unique -%}
{%- for name in _tables_like(schema, like) -%}
{%- do run_query('vacuum ' ~ schema ~ '.' ~ sql_name(name) ~ ' retain ' ~ days * 24 ~ ' hours') -%}
{%- endfor -%}
{%- endfor -%}
{%- endmacro %}

{#
    Has VACUUM keep to the hours that it is given, make no commits (a run would take them for new events), and list a
    table's files by eight tasks and not by ten thousand.
#}
{% macro _set_for_vacuum(is_checked) -%}
{%- for name, value in {
    'spark.databricks.delta.vacuum.retentionWindowIgnore.enabled': 'false',
    'spark.databricks.delta.retentionDurationCheck.enabled': is_checked,
    'spark.databricks.delta.vacuum.logging.enabled': 'false',
    'spark.sql.sources.parallelPartitionDiscovery.parallelism': '8',
}.items() -%}
{%- do run_query('set ' ~ name ~ ' = ' ~ value) -%}
{%- endfor -%}
{%- endmacro %}

{% macro _remove_old_tombstones(like) -%}
{%- set names = _tables_like(state_schema(), like) -%}
{%- for node in graph.nodes.values() if node.config.materialized == 'current_table' and node.alias in names -%}
{{ remove_tombstones(state_table(api.Relation.create(schema=node.schema, identifier=node.alias)), node.config.meta, now_milliseconds()) }}
{%- endfor -%}
{%- endmacro %}

{# The names of a schema's tables that match a pattern, without its views; none where it is not there. #}
{% macro _tables_like(schema, like) -%}
{%- set names = [] -%}
{%- if adapter.check_schema_exists(none, schema) -%}
{%- set views = view_names(schema) -%}
{%- for _, name, is_temporary in run_query('show tables in ' ~ schema ~ ' like ' ~ sql_string(like)).rows if not is_temporary and name not in views -%}
{%- do names.append(name) -%}
{%- endfor -%}
{%- endif -%}
{{ return(names) }}
{%- endmacro %}
