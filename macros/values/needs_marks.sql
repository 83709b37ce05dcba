{#
    Whether a JSON text holds what from_json changes although none of its numbers has more than 15 digits:
    a column that is an object or a list, in which it spells numbers anew, or a number with a large
    exponent, which Java may read and write as its neighbour (2E+23 as 1.9999999999999998E23). So does the answer for
    what is no JSON object.

    A column that is an object or a list shows by nesting: deeper than objects and lists of scalars in an object.
    An exponent below zero, or up to 15 behind one digit and a point, as Java writes a double, is none of these.

    Arguments:
        json (string): an SQL expression of type string.
#}
{% macro needs_marks(json) -%}
{%- set others -%}
"[^"\\]*+(?:\\.[^"\\]*+)*+"|[eE]-|(?<=[^0-9][0-9]\.[0-9]{1,17})E(?:[0-9]|1[0-5])(?![0-9])|e(?![0-9+])
{%- endset -%}
{%- set scalars = '[^"{}\\[\\]eE]*+(?:(?:' ~ others ~ ')[^"{}\\[\\]eE]*+)*+' -%}
{%- set plain = '^' ~ scalars ~ '\\{' ~ scalars ~ '(?:[\\[{]' ~ scalars ~ '[}\\]]' ~ scalars ~ ')*+\\}' ~ scalars ~ '\\z' -%}
not {{ json }} rlike r'{{ plain }}'
{%- endmacro %}
