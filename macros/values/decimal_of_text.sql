{#
    try_cast() throws for an exponent of ten digits (measured with Spark 4.1.1: `1E2147483647`,
    `1E-999999999`), and takes seconds for one of seven.
#}
{% macro decimal_of_text(text, type) -%}
case
                when not contains(upper({{ text }}), 'E') or {{ text }} rlike r'[eE][+-]?+0*+[0-9]{0,4}+\s*+\z'
                    then try_cast({{ text }} as {{ type }})
            end
{%- endmacro %}
