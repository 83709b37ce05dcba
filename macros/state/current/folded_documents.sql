{# A path into a field changes only a part of it: the result needs the whole document. #}
{% macro folded_documents(pending, table, document, columns) -%}
{%- set key = key_of_table(table, columns) -%}
{%- set name = sql_string(document.source) -%}
{%- set fields = columns | reject('in', key + [document]) | map(attribute='source') | list -%}
{{ later_images(pending, table) }},

known_documents as (
    select
        changed.*,
        {#- a document that is masked in the state cannot be patched #}
        {%- if pending.state and not document.mask %}
        {{ known_document('coalesce(changed.last.image[' ~ name ~ '], state.document)', 'state._fragment') }} as document
        {%- else %}
        {{ known_document('changed.last.image[' ~ name ~ ']', 'null') }} as document
        {%- endif %}
    from later_images as changed
    {%- if pending.state and not document.mask %}
    left join (
        select
            _key,
            {{ sql_name(document.name) }} as document,
            _fragment
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
        case when size(later) > 0 then {{ document_after(
            'document',
            'transform(later, partial -> partial.image[' ~ name ~ '])',
            'transform(later, partial -> map_keys(partial.image))',
            document
        ) }} end as patched
    from known_documents
),

named as (
    select
        *,
        case when patched.known is not null then array_union(
            flatten(transform(later, partial -> map_keys(partial.image))),
            flatten(transform(
                later,
                partial -> transform(
                    flatten(map_values(transform_values(
                        from_json(partial.image[{{ name }}], 'map<string, map<string, string>>'),
                        (operator, fields) -> map_keys(fields)
                    ))),
                    path -> substring_index(path, '.', 1)
                )
            ))
        ) end as touched
    from patched
),

folded as (
    select
        _key,
        if(last is null, touched, null) as present,
        array_except(
            array_union(touched, if(last is null, cast(array() as array<string>), array({{ sql_strings(fields + [document.source]) | join(', ') }}))),
            patched.known
        ) as unknown_columns,
        stayed,
        {{ 'cast(null as ' ~ fragment_type() ~ ')' if document.mask else 'if(patched.known is null, null, patched)' }} as fragment,
        {{ newest_change('if(patched is null, last.image, ' ~ document_image('patched', document, 'newest.image', key) ~ ')') }} as last
    from named
    where newest is not null
)
{%- endmacro %}
