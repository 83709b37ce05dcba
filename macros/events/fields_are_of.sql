{#
    The condition that an object has fields, and none but these. A regular expression takes less compiled
    code than a comparison of arrays.

    Arguments:
        fields (string): an expression of type string: the names of its fields, with commas between them.
        names (list of string): the names that it may have.
#}
{% macro fields_are_of(fields, names) -%}
{{ fields }} rlike r'^(?:(?:{{ names | join('|') }})(?:,|\z))++\z'
{%- endmacro %}
