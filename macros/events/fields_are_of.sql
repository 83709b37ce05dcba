{# A regular expression takes less compiled code than a comparison of arrays. #}
{% macro fields_are_of(fields, names) -%}
{{ fields }} rlike r'^(?:(?:{{ names | join('|') }})(?:,|\z))++\z'
{%- endmacro %}
