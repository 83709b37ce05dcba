{% macro is_older_change(change) -%}
coalesce(not {{ is_newer_change(change ~ '.', 'state._', new_is_upsert=change ~ '.is_upsert', old_is_upsert='not state._is_deleted') }}, false)
{%- endmacro %}
