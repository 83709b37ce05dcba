{#
    Whether a JSON text nests deeper than objects and lists of scalars in an object do: then a column of
    an image holds an object or a list. So does the answer for what is no JSON object.

    Arguments:
        json (string): an SQL expression of type string.
#}
{% macro holds_documents(json) -%}
{%- set scalars -%}
[^"{}\[\]]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"{}\[\]]*+)*+
{%- endset -%}
{%- set flat = '^' ~ scalars ~ '\\{' ~ scalars ~ '(?:[\\[{]' ~ scalars ~ '[}\\]]' ~ scalars ~ ')*+\\}' ~ scalars ~ '\\z' -%}
not {{ json }} rlike r'{{ flat }}'
{%- endmacro %}
