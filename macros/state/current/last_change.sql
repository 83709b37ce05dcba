{#
    The last complete change of a key: a delete, or an image that holds the whole row. By offset:
    where a key's events stand in several partitions, it is that of one partition.

    Arguments:
        pending (dictionary): see pending_changes().
        table (dictionary): the model's meta.
#}
{% macro last_change(pending, table) -%}
{%- set complete = ' filter (where not (is_image and is_partial))' if pending.partial_rows and table.key else '' -%}
max_by({{ change_struct(pending, table) }}, {{ offset_order() }}){{ complete }}
{%- endmacro %}
