{#
    The messages with their documents, which are text of the Mongo shell, read as Extended JSON, by
    one more evaluation of from_json.

    Arguments:
        relation (string): a CTE with the columns value_text, where_text (string) and is_patch
            (boolean): value_text holds what an update does, not a document.

    Returns: CTEs, of which the last, `documents`, has the relation's columns, and
        document (string): the value as Extended JSON
        fields, key_fields (map<string, string>): of value_text, unless it is a patch, and of
            where_text
        patch_sets (map<string, string>), patch_unsets (array<string>): of a patch: the paths
        unknown_operators (array<string>): what else a patch does
        is_document (boolean): both texts are what they have to be
#}
{% macro _mongo_documents(relation) %}
calls as (
    select
        *,
        if(contains(value_text, '('), {{ _mongo_calls_marked('value_text') }}, value_text) as value_calls,
        if(contains(where_text, '('), {{ _mongo_calls_marked('where_text') }}, where_text) as where_calls
    from {{ relation }}
),

named_calls as (
    select
        * except (value_calls, where_calls),
        {{ _mongo_calls_named('value_calls') }} as value_named,
        {{ _mongo_calls_named('where_calls') }} as where_named
    from calls
),

spelled as (
    select
        * except (value_named, where_named),
        if(contains(value_named, '"|"'), {{ _mongo_rare_calls_named('value_named') }}, value_named) as value_json,
        if(contains(where_named, '"|"'), {{ _mongo_rare_calls_named('where_named') }}, where_named) as where_json
    from named_calls
),

read_texts as (
    select
        spelled.* except (value_json, where_json),
        read.*
    from spelled
    lateral view inline(array(coalesce(
    get(filter(array({{ _mongo_read('value_json', 'where_json') }}), read -> read.texts.`end` is not null), 0),
    -- what could not be read: in another spelling, or no document at all
    get(transform(
        {%- set steps = namespace(of="array(named_struct('value', " ~ _mongo_plain('value_text') ~ ", 'key', " ~ _mongo_plain('where_text') ~ "))") -%}
        {%- for step in [_mongo_calls_marked, _mongo_calls_named, _mongo_rare_calls_named] -%}
        {%- set steps.of = "transform(" ~ steps.of ~ ", texts -> named_struct('value', " ~ step('texts.value') ~ ", 'key', " ~ step('texts.key') ~ "))" -%}
        {%- endfor %}
        {{ steps.of }},
        texts -> {{ _mongo_read('texts.value', 'texts.key') }}
    ), 0)
    ))) read
),

documents as (
    select
        * except (texts),
        {{ _mongo_id_told_apart('texts.fields', 'document') }} as fields,
        {{ _mongo_id_told_apart('texts.key_fields', 'key_text') }} as key_fields,
        coalesce(texts.patch['$set'], cast(map() as map<string, string>)) as patch_sets,
        map_keys(coalesce(texts.patch['$unset'], cast(map() as map<string, string>))) as patch_unsets,
        array_except(map_keys(texts.patch), array('$set', '$unset')) as unknown_operators,
        texts.`end` is not null and texts.misread is null as is_document
    from read_texts
)
{% endmacro %}

{% macro _mongo_read(value, key) -%}
{%- set fields -%}
struct<fields: map<string, string>, patch: map<string, map<string, string>>, key_fields: map<string, string>, `end`: string, misread: string>
{%- endset -%}
named_struct(
        'document', {{ value }},
        'key_text', {{ key }},
        'texts', {{ read_json(
            "concat(if(is_patch, '{\"patch\":', '{\"fields\":'), " ~ value ~ ", ',\"key_fields\":', coalesce(" ~ key ~ ", 'null'), ',\"end\":\"\"}')",
            fields
        ) }}
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
        when {{ id }} rlike r'^(?:[-+.\s0-9{\["]|true\z|false\z|null\z|[0-9a-f]{24}\z)' and (
            {{ text }} rlike r'^\s*\{\s*"_id"\s*:\s*"'
            or not {{ text }} rlike r'^\s*\{\s*"_id"'
            and (contains({{ text }}, concat('"_id":"', {{ id }}, '"')) or contains({{ text }}, concat('"_id": "', {{ id }}, '"')))
        )
            then map_concat({{ fields }}, map('_id', {{ json_string(id) }}))
        else {{ fields }}
    end
{%- endmacro %}
