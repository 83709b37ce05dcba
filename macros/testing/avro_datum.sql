{#
    Written by hand from Avro's specification, so that Spark's reader is not tested by Spark's
    writer.
#}
{% macro avro_datum(schema, value) -%}
{%- set known = {} -%}
{%- do _avro_register(schema, known) -%}
{{ _avro_hex(schema, value, known) }}
{%- endmacro %}

{# A name can refer to a type that is defined in another branch of a union. #}
{% macro _avro_register(type, known) -%}
{%- for part in (type if type is sequence and type is not string and type is not mapping else [type]) if part is mapping -%}
    {%- if part.name -%}{%- do known.update({part.name: part, (part.namespace or '') ~ '.' ~ part.name: part}) -%}{%- endif -%}
    {%- for field in part.fields or [] -%}{{ _avro_register(field.type, known) }}{%- endfor -%}
    {{ _avro_register(part['items'], known) if part['items'] is not callable and part['items'] }}
    {%- if part.type is mapping -%}{{ _avro_register(part.type, known) }}{%- endif -%}
{%- endfor -%}
{%- endmacro %}

{% macro _avro_hex(type, value, known) -%}
{%- if type is string and type in known -%}
    {%- set type = known[type] -%}
{%- endif -%}
{%- set kind = type.type if type is mapping else 'union' if type is not string else type -%}
{%- if kind == 'record' -%}
    {%- for field in type.fields -%}
        {{ _avro_hex(field.type, value.get(field.name) if value is mapping else value[loop.index0], known) }}
    {%- endfor -%}
{%- elif kind == 'union' -%}
    {%- set branch = 'null' if value is none else 'string' if value is string else 'int' if value is number else 'array' if value is not mapping else value | first -%}
    {%- for one in type -%}
        {%- set name = one if one is string else one.name or one.type -%}
        {%- if name.split('.') | last == branch -%}
            {{ _avro_long(loop.index0) }}{{ _avro_hex(one, value[branch] if value is mapping else value, known) }}
        {%- endif -%}
    {%- endfor -%}
{%- elif kind == 'array' -%}
    {%- if value -%}
        {{ _avro_long(value | length) }}
        {%- for one in value -%}{{ _avro_hex(type['items'], one, known) }}{%- endfor -%}
    {%- endif -%}
    00
{%- elif kind == 'map' -%}
    {%- if value -%}
        {{ _avro_long(value | length) }}
        {%- for name, one in value.items() -%}{{ _avro_hex('string', name, known) }}{{ _avro_hex(type['values'], one, known) }}{%- endfor -%}
    {%- endif -%}
    00
{%- elif kind == 'enum' -%}
    {{ _avro_long(type.symbols.index(value)) }}
{%- elif kind in ('int', 'long') -%}
    {{ _avro_long(value) }}
{%- elif kind in ('string', 'bytes') -%}
    {%- set hex = value.hex if value is mapping else value.encode('utf-8').hex() -%}
    {{ _avro_long((hex | length) // 2) }}{{ hex }}
{%- elif kind == 'boolean' -%}
    {{ '01' if value else '00' }}
{%- elif kind == 'double' -%}
    {{ _avro_double(value | float) }}
{%- endif -%}
{%- endmacro %}

{# Zigzag, then seven bits a byte, the lowest first. #}
{% macro _avro_long(value) -%}
{%- set rest = namespace(bits=2 * value if value >= 0 else -2 * value - 1) -%}
{%- for _ in range(10) if rest.bits is not none -%}
    {{- '%02x' | format(rest.bits % 128 + (128 if rest.bits > 127 else 0)) -}}
    {%- set rest.bits = rest.bits // 128 if rest.bits > 127 else none -%}
{%- endfor -%}
{%- endmacro %}

{# The eight bytes of a double, the lowest first, from Python's `-0x1.8p+1`. #}
{% macro _avro_double(value) -%}
{%- set text = value.hex() -%}
{%- set digits, exponent = text.split('x')[1].split('p') -%}
{%- set high = (2048 if text.startswith('-') else 0) + (exponent | int + 1023 if digits.startswith('1') else 0) -%}
{%- set bits = '%03x' | format(high) ~ digits[2:].ljust(13, '0') -%}
{%- for place in range(14, -2, -2) -%}{{ bits[place:place + 2] }}{%- endfor -%}
{%- endmacro %}
