{#
    A text, or null where it is empty: empty parts of a name are null in the contract.

    Arguments:
        text (string): an expression of type string.
#}
{% macro non_blank(text) -%}
nullif({{ text }}, '')
{%- endmacro %}
