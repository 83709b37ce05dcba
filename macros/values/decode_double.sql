{#
    A binary floating-point number.

    Arguments:
        text (string): an expression of type string.
        type (string): float or double.
        encoding (string): text, whose nearest number it is: the source's was one. exact: the dialect
            calls decimals so too; one whose digits the number cannot tell again is undecodable. Java
            may write a digit more than the text has, `3.8558180118749528E16` for
            `3.855818011874953E16`: in that spelling, which no decimal has, rounding tells.
#}
{% macro decode_double(text, type, encoding='text') -%}
{%- set number = "try_cast(" ~ text ~ " as " ~ type ~ ")" -%}
{%- if encoding == 'exact' -%}
{%- set told = "try_cast(cast(" ~ number ~ " as string) as decimal(38, 18))" -%}
{%- set given = "try_cast(" ~ text ~ " as decimal(38, 18))" -%}
case
    when {{ told }} <=> {{ given }} then {{ number }}
    when abs({{ told }} - {{ given }}) * 2 < power(
        10D,
        try_cast(regexp_extract(upper({{ text }}), 'E([+-]?[0-9]+)$', 1) as int)
        - length(regexp_extract(upper({{ text }}), r'\.([0-9]+)E', 1))
    ) then {{ number }}
end
{%- else -%}
{{ number }}
{%- endif -%}
{%- endmacro %}
