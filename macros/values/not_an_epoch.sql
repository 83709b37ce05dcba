{#
    The condition that a text should hold an epoch time, but does not.

    Arguments:
        text (string): an expression of type string.
#}
{% macro not_an_epoch(text) -%}
{{ non_blank(text) }} is not null and {{ epoch_timestamp(text) }} is null
{%- endmacro %}
