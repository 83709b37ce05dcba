{#
    The type of an array's elements, `decimal(10,2)` of `array<decimal(10,2)>`; none for any other type.

    Arguments:
        type (string): a type of Spark's, or one that a message says.
#}
{% macro element_type(type) -%}
{{ return(type[6:-1] | trim if type.startswith('array<') and type.endswith('>') else none) }}
{%- endmacro %}
