{#
    Where two rows swap their keys in separate messages, the second one leaves its old key only
    after the first has taken it, at the same moment. What tells them apart is that it leaves with
    other values than those that arrived.

    A partial image behind the second message means the row that is there. What was between the two
    messages would be the arrived row's own change, and then it is that row that left.

    It reads `last`; `moved_in`, the last row that arrived by a key change (see change_struct());
    `stayed`, the place of the last change that does not remove a row by a key change; and, if images
    can be partial, `stayed_whole`, the place of the last of these that is complete.
#}
{% macro staying_change(pending, partial) -%}
{%- set place = 'across_partitions' if pending.is_spread else 'in_partition' -%}
if(
            {% if partial -%}
            moved_in.{{ place }} = stayed_whole and (stayed = stayed_whole or stayed > last.{{ place }})
            {%- else -%}
            moved_in.{{ place }} = stayed
            {%- endif %} and {{ is_one_moment('moved_in.', 'last.') }}
            and size(array_except(map_entries(last.gone), map_entries(moved_in.image))) > 0,
            moved_in,
            last
        )
{%- endmacro %}
