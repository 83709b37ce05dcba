{#
    Whether a change is older than the row of its key in the state, so that merge_changes() would pass it over.

    Arguments:
        change (string): an expression of a struct as change_place() has it.
#}
{% macro is_older_change(change) -%}
coalesce(not {{ is_newer_change(change ~ '.', 'state._', new_is_image=change ~ '.is_image', old_is_image='not state._is_deleted') }}, false)
{%- endmacro %}
