{% macro mongo_patch(text) -%}
case
        -- an empty object is no document, which has at least its _id: that update changes nothing
        when startswith({{ text }}, '{"$')
            or {{ text }} rlike r'^\s*\{\s*(?:["\x27]?\$|\}\s*\z)'
        then if(
            contains({{ text }}, '$v'),
            regexp_replace({{ text }}, r'^\s*\{\s*["\x27]?\$v["\x27]?\s*:\s*[^,{}]*,?', '{'),
            {{ text }}
        )
    end
{%- endmacro %}
