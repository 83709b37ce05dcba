{#
    Of each column the newest text that a partial image of the key brings, and the newest partial image:
    aggregates over the changes. Nothing is collected, so that a key may have any number of partial images
    in a run.

    Arguments:
        pending (dictionary): see pending_changes().
        table (dictionary): the model's meta.
        columns (list of dictionaries): the declared columns, see declared_column().

    Returns: columns of a select, each behind a comma: newest_partial, as change_struct() has it, and
    _part_<number>: a struct of text, and of `at`, see change_place(); null where no partial image has it.
#}
{% macro newest_parts(pending, table, columns) -%}
,
            max_by({{ change_struct(pending, table) }}, {{ offset_order() }}) filter (where is_image and is_partial) as newest_partial
            {%- for column in columns %},
            max_by(struct({{ image_text('image', dict(column, mask=none)) }} as text, at), {{ offset_order() }})
                filter (where is_image and is_partial and ({{ _holds(column) }})) as _part_{{ loop.index }}
            {%- endfor %}
{%- endmacro %}

{% macro _holds(column) -%}
{%- for source in column.sources -%}
map_contains_key(image, {{ sql_string(source) }}){{ ' or ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}
