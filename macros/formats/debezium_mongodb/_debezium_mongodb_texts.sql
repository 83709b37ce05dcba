{#
    The documents of each message as texts, for mongo_documents().

    Arguments:
        coded (string): a CTE with the envelope's columns and the operation's.

    Returns: a select of its columns, and
        value_text (string): the document behind the change, or the patch that led to it; the text null where there is neither
        before_text, key_text (string): the document before the change, and its key
        is_patch (boolean): value_text is a patch
        cut_fields (array<string>), cut_sizes (array<int>): the arrays that an update cut short
#}
{% macro _debezium_mongodb_texts(coded) -%}
with described as (
    select
        *,
        {{ _debezium_mongodb_key() }} as key_text,
        array_compact(payload.updateDescription.removedFields) as removed_fields,
        array_compact(payload.updateDescription.truncatedArrays.field) as cut_fields,
        array_compact(payload.updateDescription.truncatedArrays.size) as cut_sizes
    from {{ coded }}
)

select
    * except (patch_text, key_text),
    patch_text is not null as is_patch,
    coalesce(
        patch_text,
        case when operation != 'delete' then {{ _debezium_mongodb_extended_json('coalesce(' ~ non_blank('payload.after') ~ ', payload.patch)') }} end,
        'null'
    ) as value_text,
    case when operation in ('update', 'delete') then {{ _debezium_mongodb_extended_json(non_blank('payload.before')) }} end as before_text,
    case when event_type = 'row' then {{ _debezium_mongodb_extended_json('key_text') }} end as key_text
from (
    select
        *,
        case
            when operation = 'update' and {{ non_blank('payload.after') }} is null
                then {{ _debezium_mongodb_patch() }}
        end as patch_text
    from described
)
{%- endmacro %}

{#
    A document's text as Extended JSON of version 2, from the one before it, in which the driver writes
    the mode STRICT; what is of version 2 stays. In valid JSON an object that begins so stands in no text.

    Arguments:
        text (string): an expression of type string.
#}
{% macro _debezium_mongodb_extended_json(text) -%}
{%- set string = '"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"' -%}
{%- set ns = namespace(text=text) -%}
{%- for object, written in [
    ('"\\$date"\\s*+:\\s*+(-?[0-9]++)', '"\\$date":{"\\$numberLong":"$1"}'),
    ('"\\$binary"\\s*+:\\s*+("[^"]*+")\\s*+,\\s*+"\\$type"\\s*+:\\s*+("[^"]*+")', '"\\$binary":{"base64":$1,"subType":$2}'),
    ('"\\$regex"\\s*+:\\s*+(' ~ string ~ ')\\s*+,\\s*+"\\$options"\\s*+:\\s*+("[^"]*+")', '"\\$regularExpression":{"pattern":$1,"options":$2}'),
] -%}
{%- set ns.text = "regexp_replace(" ~ ns.text ~ ", r'(?s)[{]" ~ object ~ "\\s*+[}]', r'{" ~ written ~ "}')" -%}
{%- endfor -%}
if(contains({{ text }}, '{"$'), {{ ns.text }}, {{ text }})
{%- endmacro %}

{#
    What an update did where no document came, as a patch: the change stream's description of it, in
    which `$truncate` is what MongoDB's own language has no word for; else that of a connector of before 2.0.
#}
{% macro _debezium_mongodb_patch() -%}
coalesce(
            if(payload.updateDescription is not null, concat('{', array_join(array(
                if(size(cut_fields) > 0 and size(cut_fields) = size(cut_sizes), concat('"$truncate": ', to_json(map_from_arrays(cut_fields, cut_sizes))), null),
                concat('"$set": ', {{ _debezium_mongodb_extended_json("nullif(payload.updateDescription.updatedFields, '{}')") }}),
                if(size(removed_fields) > 0, concat('"$unset": ', to_json(map_from_arrays(removed_fields, array_repeat(true, size(removed_fields))))), null)
            ), ', '), '}'), null),
            {{ mongo_patch(_debezium_mongodb_extended_json('payload.patch')) }}
        )
{%- endmacro %}

{#
    The key as a document: Kafka's, which stands for the document's own `_id`, since the same one is written in
    another way there, `5` for `{"$numberLong": "5"}`, and a delete has no other; else that of a connector of
    before 2.0. Null where there is none that can be read, as sharded collections had before 2.5.
#}
{% macro _debezium_mongodb_key() -%}
{%- set text = "concat('{\"_id\": ', kafka_key.payload.id, '}')" -%}
if(json_object_keys({{ text }}) is not null, {{ text }}, {{ non_blank('payload.filter') }})
{%- endmacro %}
