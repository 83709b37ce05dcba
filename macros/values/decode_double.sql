{% macro decode_double(text, type, encoding) -%}
{%- set number = "try_cast(" ~ text ~ " as " ~ type ~ ")" -%}
{%- if encoding == 'exact' -%}
{%- set told = _significant_digits("cast(" ~ number ~ " as string)") -%}
{%- set given = _significant_digits(text) -%}
{#- every number of the type keeps this many digits, except the smallest ones -#}
{%- set kept = {'double': (15, '2.3E-308D', '1.7E308D'), 'float': (6, '1.2E-38D', '3.4E38D')}[type] -%}
case
    when {{ told }} = {{ given }} then {{ number }}
    when length({{ given }}) < length({{ told }}) and abs({{ number }}) < {{ kept[2] }} then {{ number }}
    when length({{ given }}) <= {{ kept[0] }} and abs({{ number }}) between {{ kept[1] }} and {{ kept[2] }} then {{ number }}
    when not {{ text }} rlike '[0-9]' then {{ number }}
    when upper({{ text }}) rlike r'^-?[1-9]\.[0-9]+E[+-]?[0-9]+\z' and length({{ given }}) <= 17 and abs(
        cast(rpad({{ told }}, 17, '0') as decimal(38, 0)) - cast(rpad({{ given }}, 17, '0') as decimal(38, 0))
    ) <= 5 then {{ number }}
end
{%- else -%}
if(abs({{ number }}) = cast('Infinity' as {{ type }}) and {{ text }} rlike '[0-9]', null, {{ number }})
{%- endif -%}
{%- endmacro %}

{# The digits of a number without its sign, point and exponent, and without zeros at either end. #}
{% macro _significant_digits(text) -%}
rtrim('0', ltrim('0', translate(regexp_replace({{ text }}, '[eE].*', ''), '+-.', '')))
{%- endmacro %}
