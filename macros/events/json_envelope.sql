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
        exact_numbers (boolean): the dialect writes decimals as bare numbers, see exact_numbers_quoted().
        strict (boolean): a field of another type than the schema's, which from_json leaves null
            without a word, makes the message unreadable (wrong_type).

    Returns: a select with bronze's columns but key, value and headers, and
        message (struct): the fields; null when the value is no JSON object
        unreadable (string): why the value cannot be read (a reject's reason code), or null
        is_tombstone (boolean): the value is null
#}
{% macro json_envelope(messages, schema, exact_numbers=false, strict=false) %}
select
    {{ message_columns() }},
    envelope.message,
    value is null as is_tombstone,
    case
        when value is null then null
        when not is_valid_utf8(cast(value as string)) then 'not_utf8'
        when envelope.`end` is null then 'malformed_json'
        when envelope.message is null then 'not_a_json_object'
        {%- if strict %}
        when envelope.misread is not null then 'wrong_type'
        {%- endif %}
    end as unreadable
from {{ messages }}
lateral view inline(array(from_json(
    concat('{"message":', {{ exact_numbers_quoted() if exact_numbers else 'cast(value as string)' }}, ',"end":1}'),
    'message struct<{{ schema }}>, end int{{ ", misread string" if strict }}',
    map('allowUnquotedControlChars', 'true'{{ ", 'columnNameOfCorruptRecord', 'misread'" if strict }})
))) envelope
{% endmacro %}
