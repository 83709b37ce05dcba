{#
    The value is wrapped into `{"message": <value>, "end": ""}` before it is read. from_json accepts
    a second document after the first, an empty text and a truncated document; wrapped, each of
    these is a syntax error before `end`, so `end` says that the value was exactly one JSON
    document.

    Generators are evaluated once, field accesses as often as they are written: hence inline(…).
#}
{% macro json_envelope(messages, schema, bare_decimals='never', strict=false, message_text='json', also=[], carried=[], value_text='cast(value as string)') %}
{%- set fields -%}
struct<message: struct<{{ schema }}>
{%- for name, type, text, condition in also %}, `{{ name }}`: {{ type }}{% endfor %}, `end`: string, misread: string>
{%- endset -%}
{#- In between, letters of one byte each: Spark writes one beyond 16 bits, in a document, as two escapes. -#}
{%- set is_wide = "mark != '' and " ~ has_wide_letters('json') -%}
{%- set quoted = decimals_quoted('wrapping', 'mark') -%}
{%- set as_texts = documents_as_texts('to_json(envelope)', 'mark') -%}
{%- set with_documents -%}
get(transform(
            array({{ read_json('if(' ~ is_wide ~ ', ' ~ utf8_as("'ISO-8859-1'", quoted) ~ ', ' ~ quoted ~ ')', fields) }}),
            envelope -> if(
                mark = '' or envelope.`end` is null or envelope.misread is not null,
                if({{ is_wide }}, null, envelope),
                {{ read_json('if(' ~ is_wide ~ ', ' ~ as_utf8("'ISO-8859-1'", as_texts) ~ ', ' ~ as_texts ~ ')', fields) }}
            )
        ), 0)
{%- endset -%}
{#- raw control characters are tolerated -#}
{%- set is_json -%}
try_parse_json(regexp_replace(json, '[\\x00-\\x1f]', ' ')) is not null
{%- endset -%}
{#- when a message is read with quoted numbers at once, and how that is done -#}
{%- set again = {
    'seldom': [
        "contains(wrapping, '+') and (contains(wrapping, 'E+') or contains(wrapping, 'e+'))",
        read_json(numbers_quoted('wrapping'), fields),
    ],
    'documents': ["mark != ''", 'coalesce(' ~ with_documents ~ ', ' ~ read_json('wrapping', fields) ~ ')'],
} -%}
select
    {{ message_columns() }},
    key,
    headers,
    {%- for name in carried | map('first') %}
    {{ name }},
    {%- endfor %}
    envelope.message,
    {%- for name in also | map('first') %}
    envelope.`{{ name }}`,
    {%- endfor %}
    envelope.misread is not null as mistyped,
    is_tombstone,
    case
        when is_tombstone then null
        when not is_utf8 then 'not_utf8'
        when envelope.`end` is null then 'malformed_json'
        -- a surplus comma after the value looks the same
        when envelope.message is null then if({{ is_json }}, 'not_a_json_object', 'malformed_json')
        {%- if strict %}
        -- a syntax error within the message looks the same (of a name that stands twice, or of more than
        -- 16 MB, this says malformed_json too)
        when envelope.misread is not null
            then if({{ is_json }}, 'wrong_type', 'malformed_json')
        {%- endif %}
    end as unreadable
from (
    -- not in the generator, whose expressions Spark does not compile
    select
        *,
        value is null as is_tombstone,
        {%- for name, sql in carried %}
        {{ sql }} as {{ name }},
        {%- endfor %}
        is_valid_utf8(cast(value as string)) as is_utf8,
        concat(
            '{"message":', {{ message_text }},
            {%- for name, type, text, condition in also %}
            if({{ condition }}, concat(',"{{ name }}":', {{ text }}), ''),
            {%- endfor %}
            ',"end":""}'
        ) as wrapping
    from (
        select
            *,
            {%- if bare_decimals == 'documents' %}
            if({{ needs_marks(value_text) }}, md5(value), '') as mark,
            {%- endif %}
            {{ long_decimals_quoted(value_text) if bare_decimals == 'usually' else value_text }} as json
        from {{ messages }}
    )
)
lateral view inline(array(
    {%- if bare_decimals in again %}
    {%- set at_once, read_again = again[bare_decimals] %}
    coalesce(
        get(filter(
            array(if({{ at_once }}, null, {{ read_json('wrapping', fields, max_digits=15) }})),
            -- a list with a longer number is misread, what follows it is not
            envelope -> envelope.`end` is not null and envelope.misread is null
        ), 0),
        {{ read_again }}
    )
    {%- else %}
    {{ read_json('wrapping', fields) }}
    {%- endif %}
)) envelope
{% endmacro %}
