{#
    Producers write the type as the statement did that created the column: in capitals, with blanks
    between the labels, with a character set after them.
#}
{% macro labels_type(type) -%}
{%- set found = modules.re.match('(?is)\\s*(enum|set)\\s*\\((.*)\\)', type) -%}
{%- set labels = modules.re.findall("'(?:[^']|'')*'", found[2]) if found else [] -%}
{{ return(found[1] | lower ~ '(' ~ labels | join(',') ~ ')' if labels else none) }}
{%- endmacro %}
