{#
    The steps that lay the partial images of a key, in order, over its last complete change. Where
    there is none in this run, the state table has it: then `present` says which columns are known.
    Behind a delete a partial image begins a new row, which takes nothing from the old one: `unknown` are
    the columns that it does not hold.

    Arguments:
        news (dictionary): see state_news().
        columns (list of dictionaries): the declared columns, see declared_column().
#}
{% macro folded_changes(news, columns) -%}
{{ later_images(news) }},

folded as (
    select
        _key,
        if(last is null, map_keys(image), null) as present,
        case when not last.is_image and newest.is_image then filter(array(
            {%- for column in columns %}
            if({{ holds_column('map_keys(image)', column) }}, null, {{ sql_string(column.source) }}){{ '' if loop.last else ',' }}
            {%- endfor %}
        ), name -> name is not null) end as unknown,
        stayed_offset,
        {{ newest_change('image') }} as last
    from (
        select
            _key,
            last,
            stayed_offset,
            coalesce(try_element_at(later, -1), last) as newest,
            aggregate(
                later,
                coalesce(last.image, cast(map() as map<string, string>)),
                (image, partial) -> map_concat({{ _without_other_names(columns) }}, partial.image)
            ) as image
        from later_images
    )
)
{%- endmacro %}

{# The image without the names of columns that the partial one has under another name. #}
{% macro _without_other_names(columns) -%}
{%- set names = namespace(image='image') -%}
{%- for column in columns if column.sources | length > 1 -%}
{%- set sources = sql_strings(column.sources) | join(', ') -%}
{%- set names.image = 'map_filter(' ~ names.image ~ ', (name, text) -> name not in (' ~ sources ~ ') or not arrays_overlap(map_keys(partial.image), array(' ~ sources ~ ')))' -%}
{%- endfor -%}
{{ names.image }}
{%- endmacro %}
