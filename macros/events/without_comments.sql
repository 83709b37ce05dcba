{#
    A DDL statement with a blank for each comment. What MySQL executes although it stands in a comment
    (`/*!40005 TEMPORARY */`) stays.

    Arguments:
        sql (string): an expression of type string, the statement.
#}
{% macro without_comments(sql) -%}
regexp_replace({{ sql }}, r'(?s)/\*(?!!).*?\*/|/\*![0-9]*|\*/|--[^\n]*|(?:^|(?<=\s))#[^\n]*', ' ')
{%- endmacro %}
