{# By offset, since it is asked for each partition where a key's events are in several. #}
{% macro last_change(pending, table) -%}
{%- set complete = ' filter (where not (is_upsert and is_partial))' if pending.partial_rows and table.key else '' -%}
max_by({{ change_struct(pending, table) }}, {{ offset_order() }}){{ complete }}
{%- endmacro %}
