{% macro mongo_patch(text) -%}
case
        when startswith({{ text }}, '{"$') or {{ text }} rlike r'^\s*\{\s*["\x27]?\$' then if(
            contains({{ text }}, '$v'),
            regexp_replace({{ text }}, r'^\s*\{\s*["\x27]?\$v["\x27]?\s*:\s*[^,{}]*,?', '{'),
            {{ text }}
        )
    end
{%- endmacro %}
