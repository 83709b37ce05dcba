{#
    The order of the changes of a key whose events stand in several partitions: by the source's
    position, see position_numbers(), else by its moment(), then by offset.

    Arguments:
        prefix (string): what stands before the columns' names, for example `new._`.
        is_image (string): an expression of type boolean; a delete goes before an image at the same
            position.
#}
{% macro position_order(prefix, is_image) -%}
struct(
                {{ position_numbers(prefix ~ 'source_position') }} as position,
                {{ moment(prefix) }} as moment,
                {{ is_image }} as is_image,
                {{ prefix }}kafka_offset as kafka_offset
            )
{%- endmacro %}
