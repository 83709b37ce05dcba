{#
    The condition that a list of row images is empty, or that one of them holds no column. Without
    a lambda, which Spark would not compile: the text of a map is {} only of an empty one.

    Arguments:
        images (string): an expression of type array<map<string, string>>.
#}
{% macro lacks_rows(images) -%}
not coalesce(
                    if(
                        size({{ images }}) = 1,
                        size({{ images }}[0]) > 0,
                        size({{ images }}) > 1 and not array_contains(cast({{ images }} as array<string>), '{}')
                    ),
                    false
                )
{%- endmacro %}
