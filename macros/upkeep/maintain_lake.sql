{% macro maintain_lake(days=7, like='*') -%}
{%- do set_for_vacuum(is_checked='true') -%}
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

{% macro _remove_old_tombstones(like) -%}
{%- set names = _tables_like(state_schema(), like) -%}
{%- for node in graph.nodes.values() if node.config.materialized == 'current_table' and node.alias | lower in names -%}
{%- set state = state_table(api.Relation.create(schema=node.schema, identifier=node.alias)) -%}
{%- set watermark = watermarks().get(watermark_key(state.identifier)) -%}
{#- without it, it is unknown which batches the table has seen -#}
{%- if watermark -%}
{{ remove_tombstones(state, node.config.meta, now_milliseconds(), watermark.batch) }}
{%- endif -%}
{%- endfor -%}
{%- endmacro %}

{# The names of a schema's tables that match a pattern, without views; none if there is no such schema. #}
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
