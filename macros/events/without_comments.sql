{#
    Looking for the end of an unclosed comment at each of many beginnings took half an hour for a
    statement of 1 MB. A name in quotes may hold what begins one.
#}
{% macro without_comments(sql) -%}
regexp_replace({{ sql }}, r'(`[^`]*+(?:`|\z)|"[^"]*+(?:"|\z))|/\*(?!!)[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|\z)|/\*![0-9]*+|\*/|--[^\n]*+|(?:^|(?<=\s))#[^\n]*+', '$1 ')
{%- endmacro %}
