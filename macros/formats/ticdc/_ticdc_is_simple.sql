{#
    The condition that a message is one of the Simple Protocol, whose first field is its version: a row of
    it is an object, where Canal-JSON has a list of one.

    Arguments:
        json (string): an expression of type string.
#}
{% macro _ticdc_is_simple(json) -%}
(startswith({{ json }}, '{"version":') or left({{ json }}, 64) rlike r'^\s*+\{\s*+"version"\s*+:')
{%- endmacro %}
