{% macro mongo_documents(relation, others) %}
{%- set names = ['value'] + others -%}
lettered as (
    select
        * except ({% for name in names %}{{ name }}_text{{ ', ' if not loop.last }}{% endfor %}),
        {%- for name in names %}
        {{ escapes_as_letters(name ~ '_text') }} as {{ name }}_text{{ ',' if not loop.last }}
        {%- endfor %}
    from {{ relation }}
),

calls as (
    select
        *,
        {%- for name in names %}
        if(contains({{ name }}_text, '('), {{ _mongo_calls_marked(name ~ '_text') }}, {{ name }}_text) as {{ name }}_calls{{ ',' if not loop.last }}
        {%- endfor %}
    from lettered
),

named_calls as (
    select
        * except ({% for name in names %}{{ name }}_calls{{ ', ' if not loop.last }}{% endfor %}),
        {%- for name in names %}
        {{ _mongo_calls_named(name ~ '_calls') }} as {{ name }}_named{{ ',' if not loop.last }}
        {%- endfor %}
    from calls
),

spelled as (
    select
        * except ({% for name in names %}{{ name }}_named{{ ', ' if not loop.last }}{% endfor %}),
        {%- for name in names %}
        if(contains({{ name }}_named, '"|"'), {{ _mongo_rare_calls_named(name ~ '_named') }}, {{ name }}_named) as {{ name }}_json{{ ',' if not loop.last }}
        {%- endfor %}
    from named_calls
),

read_texts as (
    select
        spelled.* except ({% for name in names %}{{ name }}_json{{ ', ' if not loop.last }}{% endfor %}),
        read.*
    from spelled
    lateral view inline(array(coalesce(
    get(filter(array({{ _mongo_read('', '_json', others) }}), read -> {{ _mongo_is_whole('read.texts') }}), 0),
    -- texts that could not be read: in another spelling, or no documents at all
    get(transform(
        {%- set steps = namespace(of="array(" ~ _mongo_struct(_mongo_plain, '', '_text', names) ~ ")") -%}
        {%- for step in [_mongo_calls_marked, _mongo_calls_named, _mongo_rare_calls_named] -%}
        {%- set steps.of = "transform(" ~ steps.of ~ ", texts -> " ~ _mongo_struct(step, 'texts.', '', names) ~ ")" -%}
        {%- endfor %}
        {{ steps.of }},
        texts -> {{ _mongo_read('texts.', '', others) }}
    ), 0)
    ))) read
),

exact_texts as (
    -- Spark writes a letter beyond 16 bits, in an object or a list, as two escapes
    select
        * except (texts, wrapped),
        if({{ has_wide_letters('wrapped') }}, {{ _mongo_read_as_bytes('wrapped', others) }}, texts) as texts
    from (
        select
            *,
            {{ _mongo_wrapped('', 'document', others) }} as wrapped
        from read_texts
    )
),

documents as (
    select
        * except (texts),
        {{ _mongo_id_told_apart('texts.fields', 'document') }} as fields,
        texts.patch,
        {%- for name in others %}
        {{ _mongo_id_told_apart('texts.' ~ name ~ '_fields', name ~ '_document') }} as {{ name }}_fields,
        {%- endfor %}
        {{ _mongo_is_whole('texts') }} as is_document
    from exact_texts
)
{% endmacro %}

{# After a list that it cannot read, Spark continues and still finds the end. #}
{% macro _mongo_is_whole(texts) -%}
{{ texts }}.`end` is not null and {{ texts }}.misread is null
{%- endmacro %}

{# A struct of all texts, each after one step of the conversion. #}
{% macro _mongo_struct(step, before, behind, names) -%}
named_struct({% for name in names %}'{{ name }}', {{ step(before ~ name ~ behind) }}{{ ', ' if not loop.last }}{% endfor %})
{%- endmacro %}

{% macro _mongo_read(before, behind, others) -%}
named_struct(
        'document', {{ before }}value{{ behind }},
        {%- for name in others %}
        '{{ name }}_document', {{ before }}{{ name }}{{ behind }},
        {%- endfor %}
        'texts', {{ read_json(_mongo_wrapped(before, 'value' ~ behind, others, behind), _mongo_fields(others)) }}
    )
{%- endmacro %}

{# Read as letters of one byte each, written, and read as what they are: documents are texts by then. #}
{% macro _mongo_read_as_bytes(text, others) -%}
{%- set fields = _mongo_fields(others) -%}
{%- set charset = "'ISO-8859-1'" -%}
{{ read_json(as_utf8(charset, 'to_json(' ~ read_json(utf8_as(charset, text), fields) ~ ')'), fields) }}
{%- endmacro %}

{% macro _mongo_fields(others) -%}
struct<fields: map<string, string>, patch: map<string, map<string, string>>{% for name in others %}, {{ name }}_fields: map<string, string>{% endfor %}, `end`: string, misread: string>
{%- endmacro %}

{# One object of all documents, which are where `before` and `behind` their names say. #}
{% macro _mongo_wrapped(before, value, others, behind='_document') -%}
concat(if(is_patch, '{"patch":', '{"fields":'), {{ before }}{{ value }}
{%- for name in others -%}
, ',"{{ name }}_fields":', coalesce({{ before }}{{ name }}{{ behind }}, 'null')
{%- endfor -%}
, ',"end":""}')
{%- endmacro %}

{#
    A document's fields, in which an `_id` that is text and reads like another type's value stands in
    quotes, as in JSON: 5 and "5" are two keys.
#}
{% macro _mongo_id_told_apart(fields, text) -%}
{%- set id = fields ~ "['_id']" -%}
case
        -- the usual case, and cheaper than a regular expression
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
