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
    'zones': _zones(table, declared),
}) }}
{%- endmacro %}

{# The feeds' zones, where the decoder of a column or the dialect's parser reads them. #}
{% macro _zones(table, columns) -%}
{%- set zones = {} -%}
{%- set is_read = _reads_zones(columns) -%}
{%- for feed in table.feeds if is_read -%}
{%- do zones.update({feed: time_zone_of(feed)}) -%}
{%- endfor -%}
{{ return(zones) }}
{%- endmacro %}

{% macro _reads_zones(columns) -%}
{%- if parser_reads_zones() -%}
{{ return(true) }}
{%- endif -%}
{%- for column in columns if 'date' in column.type or 'timestamp' in column.type -%}
{%- if 'time_zone' in decode('text', column, 'time_zone') -%}
{{ return(true) }}
{%- endif -%}
{%- endfor -%}
{{ return(false) }}
{%- endmacro %}
