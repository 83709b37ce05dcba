{# A path into a field changes a part of it, which only the whole document can tell. #}
{% macro folded_documents(pending, table, document, columns) -%}
{%- set key = key_of_table(table, columns) -%}
{%- set name = sql_string(document.source) -%}
{%- set fields = columns | reject('in', key + [document]) | map(attribute='source') | list -%}
{%- set image -%}
case
                when size(later) = 0 then fields
                when is_known then map_concat({{ _fields_of_key('fields', key) }}, map({{ name }}, patched))
                else {{ _fields_of_key("map_filter(fields, (name, value) -> array_contains(whole, name))", key) }}
            end
{%- endset -%}
{{ later_images(pending) }},

known_documents as (
    select
        changed._key,
        changed.last,
        changed.stayed,
        {%- if pending.state %}
        state.document,
        {%- else %}
        cast(null as string) as document,
        {%- endif %}
        changed.later
    from later_images as changed
    {%- if pending.state %}
    left join (
        select
            _key,
            {{ sql_name(document.name) }} as document
        from {{ pending.state }}
        where not _is_deleted
            {%- if pending.truncations %}
            and not ({{ is_before_truncation('_', pending.truncations, sql_name(table.shard or '')) }})
            {%- endif %}
    ) as state
        on changed.last is null and changed._key = state._key
    {%- endif %}
),

patched as (
    select
        *,
        coalesce(try_element_at(later, -1), last) as newest,
        size(later) = 0 or coalesce(last.is_upsert, document is not null) as is_known,
        if(
            size(later) > 0,
            {{ document_patched("coalesce(last.image[" ~ name ~ "], document)", "transform(later, partial -> partial.image[" ~ name ~ "])") }},
            last.image[{{ name }}]
        ) as patched
    from known_documents
),

named as (
    select
        *,
        if(size(later) > 0, from_json(patched, 'map<string, string>'), last.image) as fields,
        case when not is_known then array_distinct(flatten(transform(later, partial -> map_keys(partial.image)))) end as whole,
        case when not is_known then array_distinct(flatten(transform(
            later,
            partial -> transform(
                flatten(map_values(transform_values(
                    from_json(partial.image[{{ name }}], 'map<string, map<string, string>>'),
                    (operator, fields) -> map_keys(fields)
                ))),
                path -> substring_index(path, '.', 1)
            )
        ))) end as touched
    from patched
),

folded as (
    select
        _key,
        if(last is null, array_union(whole, touched), null) as present,
        array_append(array_except(if(last is null, touched, cast(array({{ sql_strings(fields) | join(', ') }}) as array<string>)), whole), {{ name }}) as unknown_columns,
        stayed,
        {{ newest_change(image) }} as last
    from named
    where newest is not null
)
{%- endmacro %}

{# The parser may spell a key in another way than the document does. #}
{% macro _fields_of_key(fields, key) -%}
map_concat({{ fields }}, map_filter(newest.image, (name, value) -> name in (
    {{- sql_strings(key | map(attribute='source')) | join(', ') -}}
)))
{%- endmacro %}
