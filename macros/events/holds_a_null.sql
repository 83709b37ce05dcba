{% macro holds_a_null(field, list=field) -%}
{{ return([
    'missing_field',
    "'" ~ field ~ " holds a null'",
    list ~ ' is not null and array_contains(' ~ list ~ ", '') is null",
]) }}
{%- endmacro %}
