{#
    Whether a change comes after another one of its key.

    Arguments:
        one, other (string): expressions of structs as change_place() has them.
        pending (dictionary): see pending_changes(). Of events in several partitions `is_one_partition` has to
            say whether those of the key stand in one.
#}
{% macro is_later_change(one, other, pending) -%}
{%- set by_offset = one ~ '.in_partition > ' ~ other ~ '.in_partition' -%}
{{ 'if(is_one_partition, ' ~ by_offset ~ ', ' ~ one ~ '.across_partitions > ' ~ other ~ '.across_partitions)' if pending.is_spread else by_offset }}
{%- endmacro %}
