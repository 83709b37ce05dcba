{% macro is_later_change(one, other, pending) -%}
{%- set by_offset = one ~ '.in_partition > ' ~ other ~ '.in_partition' -%}
{{ 'if(is_one_partition, ' ~ by_offset ~ ', ' ~ one ~ '.across_partitions > ' ~ other ~ '.across_partitions)' if pending.is_spread else by_offset }}
{%- endmacro %}
