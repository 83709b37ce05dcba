{#
    The messages with key and value as the JSON that Connect's JsonConverter would have written, without its
    schema part: bytes as Base64, times as numbers.

    Each datum is read as a record of itself and of sixteen known bytes that are put behind it, as in
    avro_envelope(). So the JSON ends with these bytes if the datum was one whole one, and what stands
    in between is its own. A key that begins with no header is left as it is: it has a converter of its own.

    Arguments:
        messages (string): a relation or CTE with bronze's columns.
        schemas (list of dictionaries): see registry_schemas().

    Returns: a select of bronze's columns, and
        told_types (string): the columns' types as the value's schema has them, see _debezium_avro_types()
        undecoded (struct<reason: string, detail: string>): why key or value cannot be read; else null
#}
{% macro _debezium_avro_as_json(messages, schemas) -%}
{%- set begin = '{"message":' -%}
{%- set end = ',"end":"AWNoYW5nZWxha2U6IGVuZA=="}' -%}
select
    {{ message_columns() }},
    headers,
    if(key_header is null, key, {{ _debezium_avro_datum('texts[1]', begin, end) }}) as key,
    -- null is a tombstone
    if(value is null, null, coalesce({{ _debezium_avro_datum('texts[0]', begin, end) }}, X'')) as value,
    {{ _debezium_avro_of_schema('value_header', schemas, 'types') }} as told_types,
    case
        {{ _debezium_avro_reject('value', 'texts[0]', schemas, end) }}
        {{ _debezium_avro_reject('key', 'texts[1]', schemas, end) }}
    end as undecoded
from (
    select
        *,
        {{ registry_header('value') }} as value_header,
        {{ registry_header('key') }} as key_header
    from {{ messages }}
)
-- evaluated once here; a lambda contains the schemas once for key and value
lateral view inline(array(struct(transform(
    array(struct(value as datum, value_header as header), struct(key as datum, key_header as header)),
    part -> {{ _debezium_avro_of_schema('part.header', schemas, 'json') }}
)))) decoded as texts
{%- endmacro %}

{#
    What is said of a datum by its schema, null where that is not known.

    Arguments:
        header (string): an expression of type string.
        schemas (list of dictionaries): see registry_schemas().
        what (string): json, the text of the record that holds it, of a lambda's `part`; types, its
            columns' types.
#}
{% macro _debezium_avro_of_schema(header, schemas, what) -%}
case {{ header }}
        {%- for one in schemas %}
        when '{{ one.header }}' then {{ _debezium_avro_json(one) if what == 'json' else sql_string(_debezium_avro_types(one.schema)) }}
        {%- endfor %}
        -- if no schema is known, Spark would fail on a constant here
        when '' then {{ header }}
    end
{%- endmacro %}

{% macro _debezium_avro_json(one) -%}
to_json(
            from_avro(
                concat(substring(part.datum, {{ (one.header | length) // 2 + 1 }}), X'016368616e67656c616b653a20656e64'),
                {{ sql_string(avro_wrapping(one.schema)) }},
                map('mode', 'PERMISSIVE')
            ),
            map('ignoreNullFields', 'false')
        )
{%- endmacro %}

{# The datum's own JSON as bytes, null if it was not read completely. #}
{% macro _debezium_avro_datum(text, begin, end) -%}
case
        when endswith({{ text }}, '{{ end }}')
            then substring(cast({{ text }} as binary), {{ begin | length + 1 }}, octet_length({{ text }}) - {{ (begin ~ end) | length }})
    end
{%- endmacro %}

{# Branches of a case expression: why a key or a value cannot be read. #}
{% macro _debezium_avro_reject(part, text, schemas, end) -%}
{%- set header = part ~ '_header' -%}
{%- set known = schemas | map(attribute='header') | list -%}
{%- set is_whole = 'length(' ~ header ~ ') >= if(startswith(' ~ header ~ ", '0000000000'), 18, 10)" -%}
when {{ 'value is not null and value_header is null or ' if part == 'value' }}not {{ is_whole }}
            then struct('malformed_avro' as reason, 'the {{ part }} does not begin with a byte of 0 and the id of a schema' as detail)
        when {{ header }} is not null{% if known %} and {{ header }} not in ({{ sql_strings(known) | join(', ') }}){% endif %}
            -- ends with the header, which known_since() looks for
            then struct('unknown_schema' as reason, concat('the schema of the {{ part }}, of id ', conv(substring({{ header }}, 3), 16, 10), ', has not been read from its registry: ', {{ header }}) as detail)
        when {{ header }} is not null and not coalesce(endswith({{ text }}, '{{ end }}'), false)
            then struct('malformed_avro' as reason, 'the {{ part }} is not one whole datum of its schema' as detail)
        -- Java puts this character in place of invalid bytes, others like it are in the datum itself
        when {{ header }} is not null and contains({{ text }}, '\uFFFD')
            and octet_length({{ text }}) - octet_length(replace({{ text }}, '\uFFFD', ''))
                > octet_length({{ part }}) - octet_length(replace(cast({{ part }} as string), '\uFFFD', ''))
            then struct('not_utf8' as reason, 'a text of the {{ part }} is not UTF-8' as detail)
{%- endmacro %}
