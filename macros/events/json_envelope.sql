{#
    The messages with their value read as one JSON object, by one evaluation of from_json.

    The value is wrapped into `{"message": <value>, "end": ""}` before it is read. from_json is
    content with the first document of a text, with an empty text and with a document that breaks
    off; in the wrapping each of these is a syntax error in front of `end`, so that an `end` says
    that the value was one whole JSON document.

    Generators are evaluated once, field accesses as often as they are written: hence inline(…).

    Arguments:
        messages (string): a relation or CTE with bronze's columns.
        schema (string): the fields of the object as Spark's DDL, `name: type, …`. Scalars are read
            as string: then a number and a quoted number are the same, and a wrong type is no loss.
        bare_decimals (string): whether the dialect writes decimals as bare numbers, which from_json
            reads by way of a double: `123456789012345678901.5` → `1.2345678901234568E20`.
            never: it does not.
            seldom: its own writer quotes them, others do not. A message with a number of more than
                15 digits, as many as a double keeps for certain, fails and is read once more with
                its numbers in quotes; one with an `E+`, as large decimals are written, is read so at
                once. This costs the other messages next to nothing.
            usually: the text is searched for such numbers first, see long_decimals_quoted().
            documents: as seldom, of a dialect that writes a JSON column as a bare object or list, whose
                numbers are none of the columns'. A message with such a column, see needs_marks(), is read
                with its numbers in quotes and marked, which tells those within a document from its
                texts; then it is read as what that gives, see documents_as_texts(). The mark is the value's
                MD5, which the value cannot hold.
        strict (boolean): a field of another type than the schema's, which from_json leaves null
            without a word, makes the message unreadable (wrong_type).
        message_text (string): the JSON text that is read as `message`, an expression over bronze's
            columns and `json`, the value as text.
        also (list of [name, type, text, condition]): what else is read in the same evaluation: the
            JSON text, an expression like message_text, where the condition holds. A text that is
            no JSON makes the whole message unreadable.
        carried (list of [name, sql]): columns of the value's text, expressions like message_text,
            by which Spark can choose messages before it reads them.
        value_text (string): the value as text, an expression over bronze's columns: where the value as
            it is need not be one JSON document.

    Returns: a select with bronze's columns but value, and
        message (struct): the fields; null when the value is no JSON object
        one column each of `also`: null when the condition does not hold
        one column each of `carried`
        mistyped (boolean): a field is of another type than the schema's, see strict
        unreadable (string): why the value cannot be read (a reject's reason code), or null
        is_tombstone (boolean): the value is null
#}
{% macro json_envelope(messages, schema, bare_decimals='never', strict=false, message_text='json', also=[], carried=[], value_text='cast(value as string)') %}
{%- set fields -%}
struct<message: struct<{{ schema }}>
{%- for name, type, text, condition in also %}, `{{ name }}`: {{ type }}{% endfor %}, `end`: string, misread: string>
{%- endset -%}
{%- set with_documents -%}
get(transform(
            array({{ read_json(decimals_quoted('wrapping', 'mark'), fields) }}),
            envelope -> if(
                mark = '' or envelope.`end` is null or envelope.misread is not null,
                envelope,
                {{ read_json(documents_as_texts('to_json(envelope)', 'mark'), fields) }}
            )
        ), 0)
{%- endset -%}
{#- when a message is read with quoted numbers at once, and how that is -#}
{%- set again = {
    'seldom': [
        "contains(wrapping, '+') and (contains(wrapping, 'E+') or contains(wrapping, 'e+'))",
        read_json(numbers_quoted('wrapping'), fields),
    ],
    'documents': ["mark != ''", with_documents],
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
        when envelope.message is null then 'not_a_json_object'
        {%- if strict %}
        -- a syntax error within the message looks the same; raw control characters are tolerated (of
        -- a name that stands twice, or of more than 16 MB, this says malformed_json too)
        when envelope.misread is not null
            then if(try_parse_json(regexp_replace(json, '[\\x00-\\x1f]', ' ')) is null, 'malformed_json', 'wrong_type')
        {%- endif %}
    end as unreadable
from (
    -- here and not in the generator, whose expressions are not compiled
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
            envelope -> envelope.`end` is not null
        ), 0),
        {{ read_again }}
    )
    {%- else %}
    {{ read_json('wrapping', fields) }}
    {%- endif %}
)) envelope
{% endmacro %}
