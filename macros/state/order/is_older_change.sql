{% macro is_older_change(change) -%}
coalesce(not {{ is_newer_change(change ~ '.', 'state._', new_is_image=change ~ '.is_image', old_is_image='not state._is_deleted') }}, false)
{%- endmacro %}
