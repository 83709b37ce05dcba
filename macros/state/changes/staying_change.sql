{#
    Where two rows swap their keys in separate messages, the second one leaves its old key only
    after the first has taken it, at the same moment. What tells them apart is that it leaves with
    other values than those that arrived.

    It reads `last`; `moved_in`, the last row that arrived by a key change (see change_struct());
    and `stayed`, the place of the last change that does not remove a row by a key change.
#}
{% macro staying_change(pending) -%}
if(
            moved_in.{{ 'across_partitions' if pending.is_spread else 'in_partition' }} = stayed and {{ is_one_moment('moved_in.', 'last.') }}
            and size(array_except(map_entries(last.gone), map_entries(moved_in.image))) > 0,
            moved_in,
            last
        )
{%- endmacro %}
