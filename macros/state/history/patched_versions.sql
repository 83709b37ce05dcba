{#
    The changes of a key become one list, since a patch needs the document that all changes before it
    produced. Repeats and deletes keep their own values: a later run that evaluates them again needs
    these.
#}
{% macro patched_versions(relation, document, columns, key, in_order) -%}
{%- set name = sql_string(document.source) -%}
{%- set value = '_value_' ~ (columns.index(document) + 1) -%}
{%- set nothing = known_document('cast(null as string)', 'null') -%}
{%- set applies = '_patch is not null and not is_settled and not is_void' -%}
numbered as (
    select
        *,
        row_number() over (partition by _key, _epoch {{ in_order }}) as place
    from {{ relation }}
),

chains as (
    select array_sort(collect_list(struct(*)), (one, other) -> one.place - other.place) as changes
    from numbered
    group by _key, _epoch
),

patched as (
    select
        change.*,
        document
    from chains
    lateral view inline(zip_with(
        changes,
        slice(aggregate(
            changes,
            array({{ nothing }}),
            (documents, change) -> array_append(documents, case
                when change.is_void then element_at(documents, -1)
                when change._row_change < 0 then {{ nothing }}
                when change.is_settled or change._patch is null
                    then {{ known_document('coalesce(change.image[' ~ name ~ '], change.' ~ value ~ ')', 'change._fragment') }}
                else {{ document_after('element_at(documents, -1)', 'array(change._patch)', 'array(change._present)', document) }}
            end)
        ), 2, size(changes)),
        (change, document) -> struct(change, document)
    )) following
),

imaged as (
    select
        * except (
            {%- for column in columns %}
            _value_{{ loop.index }}, _text_{{ loop.index }},
            {%- endfor %}
            _fragment, image
        ),
        if({{ applies }}, if(document.known is null, null, document), _fragment) as _fragment,
        if({{ applies }}, {{ document_image('document', document, 'coalesce(image, cast(map() as map<string, string>))', key) }}, image) as image,
        image is not null as has_key,
        struct(
            {%- for column in columns %}
            _value_{{ loop.index }}, _text_{{ loop.index }}{{ ',' if not loop.last }}
            {%- endfor %}
        ) as known
    from patched
),

{{ decoded_images('imaged', columns, 'image', 'time_zone', kept=['imaged.*']) }},

folded as (
    select
        * except (
            {%- for column in columns %}
            _value_{{ loop.index }}, _text_{{ loop.index }},
            {%- endfor %}
            place, document, image, time_zone, has_key, known
        ),
        {%- for column in columns %}
        {%- set is_decoded = 'has_key' if column in key else 'image is not null' %}
        if({{ is_decoded }}, _value_{{ loop.index }}, known._value_{{ loop.index }}) as _value_{{ loop.index }},
        if({{ is_decoded }}, if(_value_{{ loop.index }} is null, _text_{{ loop.index }}, null), known._text_{{ loop.index }}) as _text_{{ loop.index }},
        case
            when is_settled then coalesce(array_contains(unknown_columns, {{ sql_string(column.name) }}), false)
            when {{ applies }} then document.known is not null and not ({{ holds_column('document.known', column) }})
            else false
        end as _is_unknown_{{ loop.index }}{{ ',' if not loop.last }}
        {%- endfor %}
    from decoded
)
{%- endmacro %}
