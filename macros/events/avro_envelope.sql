{#
    The messages of a dialect that writes Avro, read by one evaluation of from_avro with one schema.

    The value is read as a record of `message` and `end`, with sixteen known bytes put behind it.
    from_avro is content with a datum that more bytes follow; here `end` then holds other bytes than
    the known ones, as it does behind a datum that breaks off, if that is read at all. So `end` says
    that the value was one whole datum. In the mode PERMISSIVE what cannot be read is a struct of
    nulls. Lengths that the value claims and does not have would be allocated: the limits
    `org.apache.avro.limits.…` in profiles/profiles.yml keep that from ending the run.

    Arguments:
        messages (string): a relation or CTE with bronze's columns.
        schema (string): the Avro schema of the datum, JSON.
        fingerprints (list of string): of the schemas that a single-object header (C3 01 and the
            fingerprint) may name, in hexadecimal as they stand on the wire; empty: the dialect has
            no header. The bare datum is read in any case: it cannot begin like that.
        optional_long (string): the record's last field if it is a long that older producers do not
            write; there it is read as -1.

    Returns: a select with bronze's columns but value, and
        message (struct): the record; its fields are null when the value is none
        is_tombstone (boolean): the value is null
        unreadable (string): why the value cannot be read (a reject's reason code), or null
        unreadable_detail (string): the same in words
#}
{% macro avro_envelope(messages, schema, fingerprints=[], optional_long='') %}
{#- of the sixteen bytes the first is a long of -1; no part of them repeats -#}
{%- set mark = '016368616e67656c616b653a20656e64' -%}
{%- set size = 15 if optional_long else 16 -%}
{%- set wrapping -%}
{"type": "record", "name": "Wrapping", "fields": [{"name": "message", "type": {{ schema }}}, {"name": "end", "type": {"type": "fixed", "name": "End", "size": {{ size }}}}]}
{%- endset -%}
select
    {{ message_columns() }},
    key,
    headers,
    envelope.message,
    is_tombstone,
    case
        when is_tombstone then null
        when fingerprint is not null then 'unknown_schema'
        when envelope.`end` = X'{{ mark[:2 * size] }}' then null
        {%- if optional_long %}
        -- a long that breaks off ends in the mark's first byte too, and is another one then
        when envelope.`end` = X'{{ mark[-2 * size:] }}' and envelope.message.{{ optional_long }} = -1 then null
        {%- endif %}
        else 'malformed_avro'
    end as unreadable,
    coalesce(
        concat('no schema is known of the fingerprint ', fingerprint),
        'the value is not one whole record of the schema'
    ) as unreadable_detail
from (
    select
        *,
        value is null as is_tombstone,
        {%- if fingerprints %}
        case
            when startswith(value, X'C301') and substring(value, 3, 8) not in (
                {%- for one in fingerprints %}X'{{ one }}'{{ '' if loop.last else ', ' }}{% endfor -%}
            )
                then lower(hex(substring(value, 3, 8)))
        end as fingerprint,
        concat(if(startswith(value, X'C301'), substring(value, 11), value), X'{{ mark }}') as wrapped
        {%- else %}
        cast(null as string) as fingerprint,
        concat(value, X'{{ mark }}') as wrapped
        {%- endif %}
    from {{ messages }}
)
lateral view inline(array(from_avro(
    if(fingerprint is null, wrapped, null),
    {{ sql_string(wrapping) }},
    map('mode', 'PERMISSIVE')
))) envelope
{% endmacro %}
