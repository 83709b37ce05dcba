{#
    Looking for the end of an unclosed comment at each of many beginnings took half an hour for a
    statement of 1 MB.
#}
{% macro without_comments(sql) -%}
regexp_replace({{ sql }}, r'/\*(?!!)[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|\z)|/\*![0-9]*+|\*/|--[^\n]*+|(?:^|(?<=\s))#[^\n]*+', ' ')
{%- endmacro %}
