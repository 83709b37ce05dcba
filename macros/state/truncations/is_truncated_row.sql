{% macro is_truncated_row(state, table, pending) -%}
{{ 'coalesce(' ~ is_before_truncation(state ~ '._', pending.truncations, state ~ '.' ~ sql_name(table.shard or '')) ~ ', false)' if pending.truncations else 'false' }}
{%- endmacro %}
