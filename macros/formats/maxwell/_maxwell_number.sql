{#
    A row's number among those of one second: its transaction's, then its place in that, which the last one
    does not say. A transaction's number is that of its first statement, so of two that overlap it tells
    the order of their beginnings.
#}
{% macro _maxwell_number() -%}
{%- set most = 2 ** 24 - 1 -%}
try_add(
        try_multiply(try_cast(xid as bigint), {{ most + 1 }}),
        if(`commit` = 'true', {{ most }}, least(coalesce(try_cast(xoffset as bigint), 0), {{ most - 1 }}))
    )
{%- endmacro %}
