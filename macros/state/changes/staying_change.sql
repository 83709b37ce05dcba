{#
    The last change of a key, unless it is of a row that is not there any more: where two rows swap
    their keys in messages of their own, the second one leaves its old key only after the first has
    come there, at the same moment. What tells them apart is that it leaves with other values than
    those that came.

    It reads `last`, `moved_in`: the last row that came by a key change (see change_struct()), and
    `stayed_offset`: where the last change stands that takes no row away by a key change.
#}
{% macro staying_change() -%}
if(
            moved_in.kafka_offset = stayed_offset and moved_in.committed_at = last.committed_at
            and size(array_except(map_entries(last.gone), map_entries(moved_in.image))) > 0,
            moved_in,
            last
        )
{%- endmacro %}
