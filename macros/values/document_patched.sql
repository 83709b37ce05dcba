{#
    from_json returns strings without their quotes, so each string, keys included, is read with an
    `s` before it: `s5` is then a text and `5` a number.

    Spark writes a letter beyond 16 bits, in an object or a list, as two escapes: a document that has
    such letters is patched as letters of one byte each. (Each level of lambdas takes Spark some of
    the 100 rounds of its analysis: no more of them for this.)
#}
{% macro document_patched(document, patches) -%}
{%- set texts = "concat_ws('', " ~ document ~ ", " ~ patches ~ ")" -%}
{%- set charset = "if(" ~ has_wide_letters(texts) ~ ", 'ISO-8859-1', 'UTF-8')" -%}
{{ as_utf8(charset, _document_unmarked(_document_object_text(
    "aggregate("
    ~ "flatten(transform(" ~ patches ~ ", patch -> " ~ _document_patch_steps("from_json(" ~ _document_marked(utf8_as(charset, "patch")) ~ ", 'map<string, map<string, string>>')") ~ ")), "
    ~ _document_entries(_document_marked(utf8_as(charset, "coalesce(" ~ document ~ ", '{}')"))) ~ ", "
    ~ "(entries, step) -> if(step.operator = '$unset' and size(step.path) = 1, "
    ~ "filter(entries, entry -> entry.key != step.path[0]), "
    ~ _document_with_entry("entries", "step.path[0]", _document_below("entries", "step")) ~ "))"
))) }}
{%- endmacro %}

{#
    The steps of a patch: `operator`, `path` and, for `$set`, `value`. The path of a `$truncate` ends at the
    first value of the list to remove.
#}
{% macro _document_patch_steps(operators) -%}
aggregate(
    array({{ operators }}),
    cast(array() as array<struct<operator: string, path: array<string>, value: string>>),
    (none, operators) -> concat(
        coalesce(transform(map_entries(operators['s$truncate']), entry -> struct(
            '$truncate' as operator,
            concat({{ _document_path('entry.key') }}, array(concat('s', entry.value))) as path,
            cast(null as string) as value
        )), array()),
        coalesce(transform(map_entries(operators['s$set']), entry -> struct(
            '$set' as operator,
            {{ _document_path('entry.key') }} as path,
            coalesce(entry.value, 'null') as value
        )), array()),
        coalesce(transform(map_keys(operators['s$unset']), name -> struct(
            '$unset' as operator,
            {{ _document_path('name') }} as path,
            cast(null as string) as value
        )), array())
    )
)
{%- endmacro %}

{% macro _document_path(name) -%}
transform(split(substr({{ name }}, 2), '[.]'), part -> concat('s', part))
{%- endmacro %}

{# The new value of the field at the start of a step's path; null if nothing changes. #}
{% macro _document_below(entries, step) -%}
if(
    size({{ step }}.path) = 1,
    {{ step }}.value,
    aggregate(
        -- the values along the path: the field, the value in it, and so on
        array(aggregate(
            slice({{ step }}.path, 2, size({{ step }}.path) - 2),
            array(get(filter({{ entries }}, entry -> entry.key = {{ step }}.path[0]), 0).value),
            (texts, part) -> concat(texts, array({{ _document_child('element_at(texts, -1)', 'part') }}))
        )),
        cast(null as string),
        (none, texts) -> aggregate(
            sequence(size({{ step }}.path) - 1, 1, -1),
            {{ step }}.value,
            (value, i) -> {{ _document_with_child('element_at(texts, i)', step ~ '.path[i]', 'value', 'if(i = size(' ~ step ~ ".path) - 1, " ~ step ~ ".operator, '$set')") }}
        )
    )
)
{%- endmacro %}

{# An object, not a scalar that Extended JSON writes as one; a reference to a document is an object. #}
{% macro _document_is_object(text) -%}
(startswith({{ text }}, '{') and (not startswith({{ text }}, '{"s$') or startswith({{ text }}, '{"s$ref"')))
{%- endmacro %}

{% macro _document_child(text, part) -%}
case
                when {{ _document_is_object(text) }} then from_json({{ text }}, 'map<string, string>')[{{ part }}]
                when startswith({{ text }}, '[') then get(from_json({{ text }}, 'array<string>'), coalesce(try_cast(substr({{ part }}, 2) as int), -1))
            end
{%- endmacro %}

{# An object or list after an operator was applied to a part of it; null if nothing changes. #}
{% macro _document_with_child(text, part, value, operator) -%}
case
                when {{ operator }} = '$set' and {{ value }} is null then null
                when {{ operator }} = '$truncate' then if(startswith({{ text }}, '['), {{ _document_list_start("from_json(" ~ text ~ ", 'array<string>')", "try_cast(substr(" ~ part ~ ", 2) as int)") }}, null)
                when {{ _document_is_object(text) }} and {{ operator }} = '$unset' then {{ _document_object_text("filter(" ~ _document_entries(text) ~ ", entry -> entry.key != " ~ part ~ ")") }}
                when {{ _document_is_object(text) }} then {{ _document_object_text(_document_with_entry(_document_entries(text), part, value)) }}
                when startswith({{ text }}, '[') then {{ _document_list_text("from_json(" ~ text ~ ", 'array<string>')", "try_cast(substr(" ~ part ~ ", 2) as int)", value) }}
                when {{ operator }} = '$set' then {{ _document_object_text("array(struct(" ~ part ~ " as key, " ~ value ~ " as value))") }}
            end
{%- endmacro %}

{# An object's fields in their order: array<struct<key, value>>, with JSON's null as text. #}
{% macro _document_entries(text) -%}
coalesce(
    transform(map_entries(from_json({{ text }}, 'map<string, string>')), entry -> struct(entry.key as key, coalesce(entry.value, 'null') as value)),
    array()
)
{%- endmacro %}

{# A null value leaves the entries as they are. #}
{% macro _document_with_entry(entries, key, value) -%}
aggregate(
    array({{ value }}),
    {{ entries }},
    (entries, value) -> case
        when value is null then entries
        when exists(entries, entry -> entry.key = {{ key }})
            then transform(entries, entry -> if(entry.key = {{ key }}, struct(entry.key as key, value as value), entry))
        else concat(entries, array(struct({{ key }} as key, value as value)))
    end
)
{%- endmacro %}

{% macro _document_object_text(entries) -%}
concat('{', array_join(transform({{ entries }}, entry -> concat({{ json_string('entry.key') }}, ':', {{ _document_value_text('entry.value') }})), ','), '}')
{%- endmacro %}

{# MongoDB itself does not fill a gap of more than 1,500,000. #}
{% macro _document_list_text(values, place, value) -%}
case
                    when {{ place }} between 0 and size({{ values }}) + if({{ value }} is null, -1, 1500000) then concat('[', array_join(transform(
                        sequence(0, greatest(size({{ values }}) - 1, {{ place }})),
                        place -> coalesce({{ _document_value_text("if(place = " ~ place ~ ", " ~ value ~ ", get(" ~ values ~ ", place))") }}, 'null')
                    ), ','), ']')
                end
{%- endmacro %}

{# The first values of a list; null if it has no more than those. #}
{% macro _document_list_start(values, size) -%}
case
                    when {{ size }} between 0 and size({{ values }}) - 1
                        then concat('[', array_join(transform(slice({{ values }}, 1, {{ size }}), one -> coalesce({{ _document_value_text('one') }}, 'null')), ','), ']')
                end
{%- endmacro %}

{% macro _document_value_text(value) -%}
if(startswith({{ value }}, 's'), {{ json_string(value) }}, {{ value }})
{%- endmacro %}

{% macro _document_marked(text) -%}
regexp_replace({{ text }}, r'(?s)"([^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\z))', r'"s$1')
{%- endmacro %}

{% macro _document_unmarked(text) -%}
regexp_replace({{ text }}, r'(?s)"s([^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\z))', r'"$1')
{%- endmacro %}
