{% macro state_declaration(table) -%}
{%- set declared = declared_columns(table) -%}
{%- set columns = {} -%}
{%- set sources = {} -%}
{%- for column in declared -%}
{%- set mask = ' with mask ' ~ column.mask if column.mask else '' -%}
{%- set salt = ' and salt ' ~ salt_digits() if column.mask == 'hash' else '' -%}
{%- do columns.update({column.name: column.type | replace(' ', '') ~ mask ~ salt}) -%}
{%- do sources.update({column.name: column.sources}) -%}
{%- endfor -%}
{%- set key = [] -%}
{%- for column in key_of_table(table, declared) or declared -%}
{%- do key.append(column.name ~ (' from ' ~ column.encoding if column.encoding != 'text') ~ (' in any case' if column.ignore_case)) -%}
{%- endfor -%}
{{ return({
    'source': table.shards or [table.get('database'), table.get('schema'), table.table] | select | join('.'),
    'key': ('' if table.key else 'none but the whole row, ') ~ key | join(', '),
    'columns': columns,
    'sources': sources,
    'feeds': table.feeds,
}) }}
{%- endmacro %}
