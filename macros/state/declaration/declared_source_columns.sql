{% macro declared_source_columns() -%}
{%- set rows = [] -%}
{%- if execute -%}
{%- for node in graph.nodes.values() if node.resource_type == 'model' and node.config.materialized == 'current_table' -%}
{%- set table = node.config.meta -%}
{%- set name = [table.database, table.schema, table.table] | select | join('.') -%}
{%- set tables = '^(?:' ~ table.shards ~ ')\\z' if table.shards else '^' ~ modules.re.escape(name) ~ '\\z' -%}
{%- set left_out = table.left_out or [] -%}
{%- set declarations = dict.fromkeys([left_out] if left_out is string else left_out) -%}
{%- do declarations.update(table.columns) -%}
{%- for column, declaration in declarations.items() if column != table.shard -%}
{#- the model itself reports what is wrong with a declaration -#}
{%- set sources = source_names(column, declaration or 'string') -%}
{%- for feed in table.feeds if sources -%}
{%- do rows.append('(' ~ [
    sql_string(node.name), sql_string(feed), sql_string(tables), sql_string(sources[0]),
    'array(' ~ sql_strings(sources) | join(', ') ~ ')',
    sql_string(declaration if declaration is string else declaration.type) if declaration else 'cast(null as string)',
] | join(', ') ~ ')') -%}
{%- endfor -%}
{%- endfor -%}
{%- endfor -%}
{%- endif -%}
select *
from values
    {{ rows | join(',\n    ') or "('', '', '', '', array(''), '')" }}
as declared (model, feed, tables, column_name, sources, declaration)
where model != ''
{%- endmacro %}
