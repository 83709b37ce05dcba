{#
    The condition that a list of row images is empty, or that one of them holds no column.

    Arguments:
        images (string): an expression of type array<map<string, string>>.
#}
{% macro lacks_rows(images) -%}
not coalesce(
                    size({{ images }}) > 0
                    and not array_contains(transform({{ images }}, image -> coalesce(size(image) > 0, false)), false),
                    false
                )
{%- endmacro %}
