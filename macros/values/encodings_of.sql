{% macro encodings_of(base) -%}
{%- set epochs = ['epoch_seconds', 'epoch_millis', 'epoch_micros', 'epoch_nanos', 'epoch_millis_nanos'] -%}
{%- set binaries = ['base64', 'hex', 'byte_list', 'latin1'] -%}
{{ return(['text', 'extended_json'] + {
    'bigint': ['exact'],
    'boolean': ['exact'],
    'decimal': ['exact', 'bare', 'signed64', 'base64_unscaled', 'base64_struct', 'bits', 'big_endian_bits'],
    'float': ['exact'],
    'double': ['exact'],
    'string': [
        'time', 'time_millis', 'time_micros', 'time_nanos', 'epoch_nanos', 'enum', 'set', 'base64', 'hex',
        'base64_unscaled', 'base64_struct', 'bits', 'hierarchyid', 'json_string', 'json_list', 'document',
    ],
    'binary': binaries,
    'struct<srid:int,wkb:binary>': binaries,
    'date': ['epoch_days', 'epoch_millis', 'epoch_millis_nanos'],
    'timestamp': epochs + ['epoch_seconds_or_millis', 'located'],
    'timestamp_ntz': epochs,
}.get(base, [])) }}
{%- endmacro %}
