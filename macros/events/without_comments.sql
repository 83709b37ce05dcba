{#
    A DDL statement with a blank for each comment. What MySQL executes although it stands in a comment
    (`/*!40005 TEMPORARY */`) stays. A comment without an end reaches to the statement's end: one that was
    looked for at each of many beginnings took half an hour for a statement of 1 MB.

    Arguments:
        sql (string): an expression of type string, the statement.
#}
{% macro without_comments(sql) -%}
regexp_replace({{ sql }}, r'/\*(?!!)[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|\z)|/\*![0-9]*+|\*/|--[^\n]*+|(?:^|(?<=\s))#[^\n]*+', ' ')
{%- endmacro %}
