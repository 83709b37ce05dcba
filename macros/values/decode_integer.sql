{#
    A whole number of at most 64 bits with a sign. Unsigned 64-bit integers are declared as
    decimal(20,0). A boolean's text counts as 0 or 1, as some producers write TINYINT(1).

    Arguments:
        text (string): an expression of type string.
        type (string): tinyint, smallint, int or bigint.
        encoding (string): text; exact: a number as it is usually written, since the type is a guess
            and the text may be another than that of the number: `01067`, ` 7`.
#}
{% macro decode_integer(text, type, encoding) -%}
{%- if encoding == 'exact' -%}
case when {{ text }} rlike r'^(?:0|-?[1-9][0-9]*)\z' then try_cast({{ text }} as {{ type }}) end
{%- else -%}
coalesce(try_cast({{ text }} as {{ type }}), cast(case {{ text }} when 'true' then 1 when 'false' then 0 end as {{ type }}))
{%- endif -%}
{%- endmacro %}
