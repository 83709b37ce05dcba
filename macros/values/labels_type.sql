{#
    An ENUM's or SET's type in the one spelling that declarations have: `enum('a','b')`. Producers write it
    as the statement did that made the column: in capitals, with blanks between the labels, with a
    character set behind them.

    Arguments:
        type (string): the source's type.

    Returns: a string; none for any other type.
#}
{% macro labels_type(type) -%}
{%- set found = modules.re.match('(?is)\\s*(enum|set)\\s*\\((.*)\\)', type) -%}
{%- set labels = modules.re.findall("'(?:[^']|'')*'", found[2]) if found else [] -%}
{{ return(found[1] | lower ~ '(' ~ labels | join(',') ~ ')' if labels else none) }}
{%- endmacro %}
