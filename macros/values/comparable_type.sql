{#
    A source's type without what two spellings of it can differ in: case and blanks. The labels of an ENUM
    or SET keep both.

    Arguments:
        type (string): an expression of type string.
#}
{% macro comparable_type(type) -%}
concat(
    lower(regexp_replace(substring_index({{ type }}, "'", 1), r'\s', '')),
    regexp_replace(substr({{ type }}, length(substring_index({{ type }}, "'", 1)) + 1), r"('(?:[^']|'')*+')|\s", '$1')
)
{%- endmacro %}
