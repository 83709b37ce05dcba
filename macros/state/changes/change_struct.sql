{#
    Within a message deletes come before upserts: when two rows swap their keys in one statement, the
    delete of a key that another row has just taken does not concern that row.
#}
{% macro change_struct(pending, table) -%}
struct(
            {{ change_place(pending) }},
            {{ 'image' if not table.key else 'if(is_upsert, image, null)' }} as image,
            {%- if table.key %}
            if(is_move and not is_upsert, image, null) as gone,
            {%- endif %}
            committed_at,
            feed,
            time_zone
        )
{%- endmacro %}
