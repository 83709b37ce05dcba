{#
    The columns' types as a schema of Connect's in Avro says them, as the text of a JSON object: what
    _debezium_column_types() makes of the schema part of Debezium's JSON.

    Arguments:
        schema (string): Avro's, JSON.

    Returns: none where the schema is of no row.
#}
{% macro _debezium_avro_types(schema) -%}
{%- set known = {} -%}
{%- set record = _avro_branch(fromjson(schema), known) -%}
{%- if record is not mapping or record.type != 'record' -%}
{{ return(none) }}
{%- endif -%}
{%- set fields = {} -%}
{%- for field in record.fields -%}
{%- do fields.update({field.name: _avro_branch(field.type, known)}) -%}
{%- endfor -%}
{%- set row = fields.get('after') or fields.get('before') -%}
{%- set is_envelope = 'source' in fields and row is mapping and row.type == 'record' -%}
{%- set is_postgresql = is_envelope and fields.source.get('connect.name') == 'io.debezium.connector.postgresql.Source' -%}
{%- set types = [] -%}
{%- for field in (row if is_envelope else record).fields -%}
{%- do types.append(tojson(field.name) ~ ':' ~ tojson(_debezium_avro_type(field.type, known, 'BYTEA' if is_postgresql))) -%}
{%- endfor -%}
{{ return('{' ~ types | join(',') ~ '}' if types else none) }}
{%- endmacro %}

{#
    A column's type, see _debezium_column_types().

    Arguments:
        type, known: see _avro_branch().
        bytea (optional[string]): what PostgreSQL calls bytes there; none: it is another database's, or one of
            flattened rows, whose schema does not say.
#}
{% macro _debezium_avro_type(type, known, bytea) -%}
{%- set told = _avro_branch(type, known) -%}
{%- if told.type == 'array' -%}
{{ return('array<' ~ _debezium_avro_type(told['items'], known, '_BYTEA' if bytea) ~ '>') }}
{%- endif -%}
{#- a schema comes from outside, and must not be able to fail a build -#}
{%- set parameters = told['connect.parameters'] if told['connect.parameters'] is mapping else {} -%}
{%- set name = told.get('connect.name') -%}
{%- set kind = told.get('connect.type') or {
    'int': 'int32', 'long': 'int64', 'fixed': 'bytes', 'enum': 'string', 'record': 'struct',
}.get(told.type, told.type) -%}
{%- set source_type = parameters.get('__debezium.source.column.type', '') | upper -%}
{%- set word -%}
{%- if kind == 'int64' and not name and source_type.startswith('BIGINT UNSIGNED') %} unsigned
{%- elif name == 'io.debezium.data.Bits' and source_type == 'VARBIT' %} varying
{%- elif name == 'io.debezium.data.Json' and source_type == 'HSTORE' %} hstore
{%- elif kind == 'bytes' and not name and source_type == 'HIERARCHYID' %} hierarchyid
{%- elif kind == 'bytes' and not name and bytea and source_type not in ('', bytea) %} text
{%- endif -%}
{%- endset -%}
{%- set numbers -%}
{%- if 'scale' in parameters -%}:scale={{ parameters.scale }}{%- endif -%}
{%- if 'connect.decimal.precision' in parameters -%},precision={{ parameters['connect.decimal.precision'] }}{%- endif -%}
{%- if 'length' in parameters -%}:length={{ parameters.length }}{%- endif -%}
{%- endset -%}
{{ return((name or kind) ~ word ~ numbers) }}
{%- endmacro %}

{#
    A type as a dictionary: of a union with null the other one, of a name the type that it was given to.

    Arguments:
        type: as JSON has it.
        known (dictionary): the named types by their full names, to which this one is added.
#}
{% macro _avro_branch(type, known) -%}
{%- if type is string -%}
{{ return(known.get(type, {'type': type})) }}
{%- elif type is not mapping -%}
{{ return(_avro_branch(type | reject('equalto', 'null') | first | default('null'), known)) }}
{%- elif type.type is not string -%}
{{ return(_avro_branch(type.type, known)) }}
{%- endif -%}
{%- if 'name' in type -%}
{%- do known.update({type.name: type, type.get('namespace', '') ~ '.' ~ type.name: type}) -%}
{%- endif -%}
{{ return(type) }}
{%- endmacro %}
