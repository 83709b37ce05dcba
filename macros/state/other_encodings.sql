{#
    The encodings of a table's new events that are not the declared ones. A producer's message can say
    how it holds a value: Debezium's schema part has the scale of a decimal and the unit of a time,
    Canal's types the labels of an enum. After an ALTER TABLE these are others than before, and the
    declaration is one.

    Arguments:
        columns (list of dictionaries): the declared columns, see declared_column().
        column_types (list of string): the distinct column_types of the events, see batch_news().

    Returns: a list of dictionaries, of each of `column_types` that has such: types (string), itself,
    and columns (list): the declared column, and in it `source` (string): the name in the image, and
    `sent` (string): the encoding that the value has.
#}
{% macro other_encodings(columns, column_types) -%}
{%- set rules = {} -%}
{%- if column_types -%}
{%- set seed = graph.nodes.values() | selectattr('resource_type', 'equalto', 'seed') | selectattr('name', 'equalto', 'source_types') | first -%}
{%- for name, type, encoding in run_query(
    "select type_name, spark_type, encoding from " ~ seed.relation_name ~ " where format = 'debezium'"
).rows -%}
{%- do rules.update({name: {'base': type.split('(')[0], 'encoding': encoding or 'text'}}) -%}
{%- endfor -%}
{%- endif -%}
{%- set others = [] -%}
{%- for text in column_types -%}
{%- set types = fromjson(text, {}) -%}
{%- set found = [] -%}
{%- for column in columns -%}
{%- for source in column.sources if source in types -%}
{%- set sent = _sent_encoding(types[source], column, rules) -%}
{%- if sent and sent != column.encoding -%}
{%- do found.append(dict(column, source=source, sent=sent)) -%}
{%- endif -%}
{%- endfor -%}
{%- endfor -%}
{%- if found -%}
{%- do others.append({'types': text, 'columns': found}) -%}
{%- endif -%}
{%- endfor -%}
{{ return(others) }}
{%- endmacro %}

{# The encoding of a value of a type, as the message says it; none where the declaration alone says it. #}
{% macro _sent_encoding(type, column, rules) -%}
{%- set base = column.type.split('(')[0] -%}
{%- set rule = rules.get(type.split(':')[0], {}) -%}
{%- if column.encoding.split('(')[0] in ('enum', 'set') -%}
{{ return(type if type.split('(')[0] == column.encoding.split('(')[0] else none) }}
{%- elif base == 'decimal' and type == 'string' -%}
{{ return('text') }}
{%- elif rule.get('base') == base and base in ('decimal', 'timestamp_ntz', 'string') and rule.encoding != 'text' -%}
{{ return(rule.encoding.replace('(s)', '(' ~ type.split('scale=')[-1].split(',')[0] ~ ')')) }}
{%- endif -%}
{{ return(none) }}
{%- endmacro %}
