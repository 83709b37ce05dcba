{#
    The value is read as a record of `message` and `end`, with sixteen known bytes appended.
    from_avro accepts a datum that more bytes follow; `end` then holds other bytes than the known
    ones, as it does after a truncated datum, if that can be read at all. So `end` says whether the
    value was exactly one datum. In the mode PERMISSIVE what cannot be read is a struct of nulls.
    Lengths that the value claims but does not have would be allocated: the limits
    `org.apache.avro.limits.…` in profiles/profiles.yml keep that from ending the run.
#}
{% macro avro_envelope(messages, schema, fingerprints=[], optional_long='') %}
{#- the first of the sixteen bytes is a long of -1; no part of them repeats -#}
{%- set mark = '016368616e67656c616b653a20656e64' -%}
{%- set size = 15 if optional_long else 16 -%}
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
        -- a truncated long ends in the mark's first byte too, but then has another value
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
    {{ sql_string(avro_wrapping(schema, size)) }},
    map('mode', 'PERMISSIVE')
))) envelope
{% endmacro %}
