{#
    What an update of MongoDB's log does, as a patch: an object of operators, without the version of
    the log's entry. Null where the update replaces the document.

    Arguments:
        text (string): an expression of type string: a text of the Mongo shell or Extended JSON.
#}
{% macro mongo_patch(text) -%}
case
        when startswith({{ text }}, '{"$') or {{ text }} rlike r'^\s*\{\s*["\x27]?\$' then if(
            contains({{ text }}, '$v'),
            regexp_replace({{ text }}, r'^\s*\{\s*["\x27]?\$v["\x27]?\s*:\s*[^,{}]*,?', '{'),
            {{ text }}
        )
    end
{%- endmacro %}
