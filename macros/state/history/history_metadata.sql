{#
    The columns of a table of versions beside the key's text, the declared ones and _undecodable.
    Those that the history table does not show are what the next run needs of a change:

        _source_position, _row_index, _row_change (1: an image; -1: a delete): with the offset, its
            place in the order
        _is_move: it is one half of a key change, with the whole row
        _present: the columns (at the source) that a partial image holds; null: it is complete
        _changed_at, _captured_at, _message_number: its moment(), before _valid_from was kept from decreasing
        _content: a hash of the image, to know it again; null without a position
        _last_position: the highest position of the key so far
        _is_spread: the key's changes stand in several partitions
        _is_boundary: a version ends here, and unless it is a delete one begins
        _is_last: the last change of its key
        _sequence: its place among the changes of its key; _epoch: how often the table had been
            emptied before
        _batch: the parsing run that brought it
#}
{% macro history_metadata() -%}
{{ return([
    '_valid_to', '_operation', '_valid_from', '_committed_at', '_feed', '_kafka_topic', '_kafka_partition',
    '_kafka_offset', '_row_count', '_source_position', '_row_index', '_row_change', '_is_move', '_present',
    '_changed_at', '_captured_at', '_message_number', '_content', '_last_position', '_is_spread', '_is_boundary', '_is_last', '_sequence', '_epoch', '_batch',
]) }}
{%- endmacro %}
