{#
    The `_undecodable` of a row: by column the text that its type cannot hold, null where there is
    none.

    Arguments:
        columns (list of dictionaries): the declared columns, see declared_column().
        condition (string): of a column, with `{i}` for its number from 1 and `{source}` for its name at
            the source: its text goes into the map.
        text (string): the text, likewise.
#}
{% macro undecodable_map(columns, condition, text) -%}
case
        when {% for column in columns -%}
            {{ condition | replace('{i}', loop.index) | replace('{source}', sql_string(column.source)) }}{{ '' if loop.last else ' or ' }}
        {%- endfor %}
            then map_from_entries(filter(
                array(
                    {%- for column in columns %}
                    if({{ condition | replace('{i}', loop.index) | replace('{source}', sql_string(column.source)) }}, struct({{ sql_string(column.name) }} as key, {{ text | replace('{i}', loop.index) }} as value), null){{ '' if loop.last else ',' }}
                    {%- endfor %}
                ),
                entry -> entry is not null
            ))
    end
{%- endmacro %}
