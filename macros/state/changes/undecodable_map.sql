{#
    The `_undecodable` of a row: by column the text that its type cannot hold, null where there is
    none.

    Arguments:
        columns (list of dictionaries): the declared columns, see declared_column(), whose texts stand
            in _text_<number>.
        conditions (list of string): of each column, when its text goes into the map.
#}
{% macro undecodable_map(columns, conditions) -%}
case
        when {{ conditions | join(' or ') }}
            then map_from_entries(filter(
                array(
                    {%- for column in columns %}
                    if({{ conditions[loop.index0] }}, struct({{ sql_string(column.name) }} as key, _text_{{ loop.index }} as value), null){{ '' if loop.last else ',' }}
                    {%- endfor %}
                ),
                entry -> entry is not null
            ))
    end
{%- endmacro %}
