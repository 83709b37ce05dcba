{# By offset: if a key's events are in several partitions, it is computed for each of them. #}
{% macro last_change(pending, table) -%}
{%- set complete = 'not (is_upsert and is_partial)' if pending.partial_rows and table.key else none -%}
{{ newest_in_partition(change_struct(pending, table), complete) }}
{%- endmacro %}
