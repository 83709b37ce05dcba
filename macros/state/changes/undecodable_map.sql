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
