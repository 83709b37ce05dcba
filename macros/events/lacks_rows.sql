{#
    The condition that a list of row images is empty, or that one of them holds no column.

    Arguments:
        images (string): an expression of type array<map<string, string>>.
#}
{% macro lacks_rows(images) -%}
(
                    coalesce(array_contains(transform({{ images }}, image -> coalesce(cardinality(image), 0) = 0), true), true)
                    or size({{ images }}) = 0
                )
{%- endmacro %}
