{# Nothing is collected, so a key may have any number of partial images in a run. #}
{% macro newest_parts(pending, table, columns) -%}
,
        max_by({{ change_struct(pending, table) }}, {{ offset_order() }}) filter (where is_upsert and is_partial) as newest_partial
        {%- for column in columns %},
        max_by(struct({{ image_text('image', dict(column, mask=none)) }} as text, at), {{ offset_order() }})
            filter (where is_upsert and is_partial and ({{ image_holds('image', column) }})) as _part_{{ loop.index }}
        {%- endfor %}
{%- endmacro %}
