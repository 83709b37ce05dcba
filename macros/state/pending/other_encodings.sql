{% macro other_encodings(columns, column_types) -%}
{%- set encodings = format_traits().encodings -%}
{%- set rules = run_notes().sent_as.get(encodings, {}) -%}
{%- if column_types and encodings and not rules -%}
{%- for name, type, encoding in run_query(
    "select type_name, spark_type, encoding from " ~ seed_node('source_types').relation_name ~ ' where coalesce(source_type, "") = "" and format = ' ~ sql_string(encodings)
).rows -%}
{%- do rules.update({name | lower: {'type': type, 'encoding': encoding or 'text'}}) -%}
{%- endfor -%}
{%- do run_notes().sent_as.update({encodings: rules}) -%}
{%- endif -%}
{%- set others = [] -%}
{%- for one in column_types -%}
{%- set types = one.types or {} -%}
{%- set found = [] -%}
{%- for column in columns -%}
{%- for source in column.sources if types.get(source) -%}
{%- set sent = _sent_as(types[source], column, rules) -%}
{%- if sent -%}
{%- do found.append(dict(column, source=source, sent=sent)) -%}
{%- endif -%}
{%- endfor -%}
{%- endfor -%}
{%- if found -%}
{%- do others.append({'types': one.text, 'columns': found}) -%}
{%- endif -%}
{%- endfor -%}
{{ return(others) }}
{%- endmacro %}

{#
    How to decode values of a type that is not the declared one: a dictionary of type and encoding; none
    if the declaration applies. A declaration can also be a person's choice: a time declared as an integer
    stays a number, and plain numbers and texts are read as declared, even where bytes are declared. Not so
    where a number or a bit string is declared from Base64, since digits alone would be read as Base64. For a
    decimal `from bare`, they are not Base64.
#}
{% macro _sent_as(type, column, rules) -%}
{%- set element = element_type(column.type) -%}
{%- if element -%}
{{ return(_sent_as(element_type(type) or '', dict(column, type=element), rules)) }}
{%- endif -%}
{%- set base = column.type.split('(')[0] -%}
{%- set declared = column.encoding.split('(')[0] -%}
{%- set rule = rules.get(type.split(':')[0] | lower) -%}
{%- if declared in ('enum', 'set') -%}
{%- set sent_labels = labels_type(type) -%}
{{ return({'type': 'string', 'encoding': sent_labels} if sent_labels and sent_labels != labels_type(column.encoding) else none) }}
{%- elif not rule -%}
{{ return(none) }}
{%- elif rule.type == 'boolean' and base == 'decimal' -%}
{{ return({'type': 'tinyint', 'encoding': 'text'}) }}
{%- elif declared == 'bits' and base == 'string' and rule.encoding == 'text' -%}
{{ return({'type': 'tinyint' if rule.type == 'boolean' else 'string', 'encoding': 'text'}) }}
{%- elif declared == 'bits' and base == 'string' -%}
{#- a declaration without a length allows any -#}
{%- set length = type.split('length=')[1:] | map('int') | first -%}
{%- set encoding = 'bits(' ~ length ~ ')' -%}
{{ return({'type': 'string', 'encoding': encoding} if rule.encoding == 'bits' and length and column.encoding not in ('bits', encoding) else none) }}
{%- endif -%}
{%- set encoding = rule.encoding.replace('(s)', '(' ~ type.split('scale=')[-1].split(',')[0] ~ ')') -%}
{%- set kind = encoding.split('(')[0] -%}
{%- set sent = none -%}
{%- if encoding == column.encoding or (declared == 'bare' and kind == 'base64_unscaled') -%}
{{ return(none) }}
{%- elif kind in ('base64_unscaled', 'base64_struct') and base != 'binary' -%}
{#- the number's text as it was sent: the declared type may not hold it -#}
{%- set sent = 'string' -%}
{%- elif kind in ('bits', 'signed64') and base != 'binary' -%}
{%- set sent = 'decimal(20,0)' -%}
{%- elif kind == 'base64' and base == 'string' -%}
{%- set sent = 'binary' -%}
{%- elif kind == 'text' and declared in ('base64_unscaled', 'base64_struct', 'bits', 'big_endian_bits') -%}
{%- set sent = 'string' -%}
{%- elif kind == 'text' and rule.type == 'timestamp' and base == 'timestamp_ntz' and declared.startswith('epoch_') -%}
{%- set sent = 'timestamp' -%}
{%- elif kind != 'text' and rule.type in ('date', 'timestamp_ntz', 'string') and base in ('date', 'timestamp', 'timestamp_ntz', 'string') -%}
{%- set sent = rule.type -%}
{%- endif -%}
{{ return({'type': sent, 'encoding': encoding} if sent else none) }}
{%- endmacro %}
