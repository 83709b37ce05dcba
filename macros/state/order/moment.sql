{#
    The moment of a change, by which changes of several partitions are put in order where the source's
    positions do not tell: when it was made (see changed_at()), when the producer captured it, and the
    producer's own number of the message. Commit times are often whole seconds; the other two tell what
    came first within one.

    Arguments:
        prefix (string): what stands before the columns' names: nothing for events, `old._` or `_` for
            rows of a state.

    Returns: an expression of a struct that compares; null counts as lowest.
#}
{% macro moment(prefix='') -%}
struct({{ changed_at(prefix) }} as changed_at, {{ prefix }}captured_at as captured_at, {{ prefix }}message_number as message_number)
{%- endmacro %}
