{#
    The messages with their documents, which are text of the Mongo shell, read as Extended JSON by one
    more evaluation of from_json.

    Arguments:
        relation (string): a CTE with the columns value_text, where_text (string) and is_patch
            (boolean): value_text holds what an update does, not a document.

    Returns: a select of the relation's columns, and
        document (string): the value as Extended JSON
        fields, filter (map<string, string>): of value_text, unless it is a patch, and of where_text
        patch (map<string, map<string, string>>): of a patch: operator → field → value
        is_document (boolean): both texts are what they have to be
#}
{% macro _mongo_documents(relation) %}
select
    {{ relation }}_named.* except (value_calls, where_calls, value_named, where_named, value_json, where_json),
    read.document,
    {{ _mongo_id_told_apart('read.texts.fields', 'read.document') }} as fields,
    {{ _mongo_id_told_apart('read.texts.filter', 'read.filter_text') }} as filter,
    read.texts.patch,
    read.texts.`end` is not null and read.texts.misread is null as is_document
from (
    select
        *,
        if(contains(value_named, '"|"'), {{ _mongo_rare_calls_named('value_named') }}, value_named) as value_json,
        if(contains(where_named, '"|"'), {{ _mongo_rare_calls_named('where_named') }}, where_named) as where_json
    from (
        select
            *,
            {{ _mongo_calls_named('value_calls') }} as value_named,
            {{ _mongo_calls_named('where_calls') }} as where_named
        from (
            select
                *,
                if(contains(value_text, '('), {{ _mongo_calls_marked('value_text') }}, value_text) as value_calls,
                if(contains(where_text, '('), {{ _mongo_calls_marked('where_text') }}, where_text) as where_calls
            from {{ relation }}
        )
    )
) {{ relation }}_named
lateral view inline(array(coalesce(
    get(filter(array({{ _mongo_read('value_json', 'where_json') }}), read -> read.texts.`end` is not null), 0),
    -- what could not be read: in another spelling, or no document at all
    get(transform(
        array(named_struct('value', {{ _mongo_plain_json('value_text') }}, 'filter', {{ _mongo_plain_json('where_text') }})),
        plain -> {{ _mongo_read('plain.value', 'plain.filter') }}
    ), 0)
))) read
{% endmacro %}

{% macro _mongo_plain_json(text) -%}
{{ _mongo_rare_calls_named(_mongo_calls_named(_mongo_calls_marked(_mongo_plain(text)))) }}
{%- endmacro %}

{% macro _mongo_read(value, filter) -%}
{%- set fields -%}
struct<fields: map<string, string>, patch: map<string, map<string, string>>, filter: map<string, string>, `end`: string, misread: string>
{%- endset -%}
named_struct(
        'document', {{ value }},
        'filter_text', {{ filter }},
        'texts', from_json(
            concat(if(is_patch, '{"patch":', '{"fields":'), {{ value }}, ',"filter":', coalesce({{ filter }}, 'null'), ',"end":""}'),
            '{{ fields }}',
            map(
                'allowUnquotedControlChars', 'true',
                'allowSingleQuotes', 'false',
                'allowNonNumericNumbers', 'false',
                'columnNameOfCorruptRecord', 'misread'
            )
        )
    )
{%- endmacro %}

{#
    A document's fields, in which an `_id` that is text and reads like another type's value stands in
    quotes, as in JSON: 5 and "5" are two keys.
#}
{% macro _mongo_id_told_apart(fields, text) -%}
{%- set id = fields ~ "['_id']" -%}
case
        -- nearly always, and cheaper than an expression
        when startswith({{ id }}, '{"$oid"') and startswith({{ text }}, '{"_id": {') then {{ fields }}
        when {{ id }} rlike r'^(?:[-0-9{\["]|true$|false$|null$|[0-9a-f]{24}$)' and (
            {{ text }} rlike r'^\s*\{\s*"_id"\s*:\s*"'
            or not {{ text }} rlike r'^\s*\{\s*"_id"'
            and (contains({{ text }}, concat('"_id":"', {{ id }}, '"')) or contains({{ text }}, concat('"_id": "', {{ id }}, '"')))
        )
            then map_concat({{ fields }}, map('_id', {{ json_string(id) }}))
        else {{ fields }}
    end
{%- endmacro %}
