{#
    What try_cast() makes of a text, but never an error: of an exponent of ten digits Spark's throws
    (measured with 4.1.1: `1E2147483647`, `1E-999999999`), and of one of seven it takes seconds.

    Arguments:
        text (string): an expression of type string.
        type (string): decimal(p,s).
#}
{% macro decimal_of_text(text, type) -%}
case
                when not contains(upper({{ text }}), 'E') or {{ text }} rlike r'[eE][+-]?+0*+[0-9]{0,4}+\s*+\z'
                    then try_cast({{ text }} as {{ type }})
            end
{%- endmacro %}
