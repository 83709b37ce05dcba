{% macro integer_text(text) -%}
coalesce(
            case
                -- any other fraction stays as it is: a double would lose digits of it
                when contains({{ text }}, '.')
                    and (contains({{ text }}, 'E') or rtrim('0', substring_index({{ text }}, '.', -1)) = '')
                    and try_cast({{ text }} as double) % 1 = 0
                    then cast(try_cast(try_cast({{ text }} as double) as bigint) as string)
            end,
            {{ text }}
        )
{%- endmacro %}
