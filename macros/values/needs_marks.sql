{#
    A column that is an object or a list shows as nesting: deeper than objects and lists of scalars
    in an object. An exponent below zero, or up to 15 after one digit and a point, as Java writes a
    double, is safe.
#}
{% macro needs_marks(json) -%}
{%- set others -%}
"[^"\\]*+(?:\\.[^"\\]*+)*+"|[eE]-|(?<=[^0-9][0-9]\.[0-9]{1,17})E(?:[0-9]|1[0-5])(?![0-9])|e(?![0-9+])
{%- endset -%}
{%- set scalars = '[^"{}\\[\\]eE]*+(?:(?:' ~ others ~ ')[^"{}\\[\\]eE]*+)*+' -%}
{%- set plain = '^' ~ scalars ~ '\\{' ~ scalars ~ '(?:[\\[{]' ~ scalars ~ '[}\\]]' ~ scalars ~ ')*+\\}' ~ scalars ~ '\\z' -%}
not {{ json }} rlike r'{{ plain }}'
{%- endmacro %}
