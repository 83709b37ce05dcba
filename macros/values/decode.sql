{% macro decode(text, column, time_zone="'UTC'") -%}
{%- set base = column.type.split('(')[0] -%}
{%- set element = element_type(column.type) -%}
{%- if element -%}
{{ decode_array(text, dict(column, type=element), time_zone) }}
{%- elif column.encoding == 'extended_json' -%}
{{ decode_extended_json(text, column) }}
{%- else -%}
{{ _decode_plain(text, column, base, time_zone) }}
{%- endif -%}
{%- endmacro %}

{% macro _decode_plain(text, column, base, time_zone) -%}
{%- if base in ('tinyint', 'smallint', 'int', 'bigint') -%}
{{ decode_integer(text, column.type, column.encoding) }}
{%- elif base == 'decimal' -%}
{{ decode_decimal(text, column.type, column.encoding) }}
{%- elif base in ('float', 'double') -%}
{{ decode_double(text, column.type, column.encoding) }}
{%- elif base == 'boolean' -%}
{{ decode_boolean(text, column.encoding) }}
{%- elif base == 'string' -%}
{{ decode_string(text, column.encoding) }}
{%- elif base == 'binary' -%}
{{ decode_binary(text, column.encoding) }}
{%- elif base == 'date' -%}
{{ decode_date(text, column.encoding, time_zone) }}
{%- elif base == 'timestamp_ntz' -%}
{{ decode_timestamp_ntz(text, column.encoding, time_zone) }}
{%- elif base == 'timestamp' -%}
{{ decode_timestamp(text, column.encoding, time_zone) }}
{%- elif base == 'variant' -%}
{{ decode_variant(text) }}
{%- elif base == 'struct<srid:int,wkb:binary>' -%}
{{ decode_geometry(text, column.encoding) }}
{%- elif base | replace(' ', '') == 'map<string,string>' -%}
{{ json_value(text, 'map<string,string>') }}
{%- else -%}
{{ exceptions.raise_compiler_error(
    "column " ~ column.name ~ " is declared as " ~ column.type ~ ": declare one of tinyint, smallint, int, bigint,"
    ~ " decimal(p,s), float, double, boolean, string, binary, date, timestamp, timestamp_ntz, array<one of these>, map<string,string>,"
    ~ " variant, struct<srid:int,wkb:binary>"
) }}
{%- endif -%}
{%- endmacro %}
