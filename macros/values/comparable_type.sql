{% macro comparable_type(type) -%}
concat(
    lower(regexp_replace(substring_index({{ type }}, "'", 1), r'\s', '')),
    regexp_replace(substr({{ type }}, length(substring_index({{ type }}, "'", 1)) + 1), r"('(?:[^']|'')*+')|\s", '$1')
)
{%- endmacro %}
