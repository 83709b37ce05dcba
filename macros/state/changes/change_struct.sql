{% macro change_struct(pending, table) -%}
struct(
            {{ change_place(pending) }},
            {{ 'image' if not table.key else 'if(is_upsert, image, null)' }} as image,
            {%- if table.key %}
            is_move,
            if(is_move and not is_upsert, image, null) as gone,
            {%- endif %}
            committed_at,
            feed,
            time_zone
        )
{%- endmacro %}
