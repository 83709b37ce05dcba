{#
    A binary floating-point number.

    Arguments:
        text (string): an expression of type string.
        type (string): float or double.
        encoding (string): text, whose nearest number it is: the source's was one. exact: the dialect
            calls decimals so too; one whose digits the number cannot tell again is undecodable.
#}
{% macro decode_double(text, type, encoding='text') -%}
{%- set number = "try_cast(" ~ text ~ " as " ~ type ~ ")" -%}
{%- if encoding == 'exact' -%}
case
    when try_cast(cast({{ number }} as string) as decimal(38, 18)) <=> try_cast({{ text }} as decimal(38, 18))
        then {{ number }}
end
{%- else -%}
{{ number }}
{%- endif -%}
{%- endmacro %}
