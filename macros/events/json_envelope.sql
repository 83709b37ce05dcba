{#
    The messages with their value read as one JSON object, by one evaluation of from_json.

    The value is wrapped into `{"message": <value>, "end": 1}` before it is read. from_json is
    content with the first document of a text, with an empty text and with a document that breaks
    off; in the wrapping each of these is a syntax error in front of `end`, so that `end = 1` says
    that the value was one whole JSON document.

    Generators are evaluated once, field accesses as often as they are written: hence
    inline(array(…)).

    Arguments:
        messages (string): a relation or CTE with bronze's columns.
        schema (string): the fields of the object as Spark's DDL, `name: type, …`. Scalars are read
            as string: then a number and a quoted number are the same, and a wrong type is no loss.
        exact_numbers (boolean): the dialect writes decimals as bare numbers, see
            exact_numbers_quoted().
        strict (boolean): a field of another type than the schema's, which from_json leaves null
            without a word, makes the message unreadable (wrong_type).
        message_text (string): the JSON text that is read as `message`, an expression over bronze's
            columns and `json`, the value as text.
        also (list of [name, type, text, condition]): what else is read in the same evaluation: the
            JSON text, an expression like message_text, where the condition holds. A text that is
            no JSON makes the whole message unreadable.

    Returns: a select with bronze's columns but value, and
        message (struct): the fields; null when the value is no JSON object
        one column each of `also`: null when the condition does not hold
        mistyped (boolean): a field is of another type than the schema's, see strict
        unreadable (string): why the value cannot be read (a reject's reason code), or null
        is_tombstone (boolean): the value is null
#}
{% macro json_envelope(messages, schema, exact_numbers=false, strict=false, message_text='json', also=[]) %}
select
    {{ message_columns() }},
    key,
    headers,
    envelope.message,
    {%- for name, type, text, condition in also %}
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
        when envelope.misread is not null then 'wrong_type'
        {%- endif %}
    end as unreadable
from (
    -- here and not in the generator, whose expressions are not compiled
    select
        *,
        value is null as is_tombstone,
        is_valid_utf8(cast(value as string)) as is_utf8,
        concat(
            '{"message":', {{ message_text }},
            {%- for name, type, text, condition in also %}
            if({{ condition }}, concat(',"{{ name }}":', {{ text }}), ''),
            {%- endfor %}
            ',"end":1}'
        ) as wrapping
    from (
        select
            *,
            {{ exact_numbers_quoted() if exact_numbers else 'cast(value as string)' }} as json
        from {{ messages }}
    )
)
lateral view inline(array(from_json(
    wrapping,
    'message struct<{{ schema }}>
    {%- for name, type, text, condition in also %}, `{{ name }}` {{ type }}{% endfor %}, end int, misread string',
    map('allowUnquotedControlChars', 'true', 'columnNameOfCorruptRecord', 'misread')
))) envelope
{% endmacro %}
