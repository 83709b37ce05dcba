{# Where a key's events are in several partitions, it is that of one partition. #}
{% macro last_change(pending, table) -%}
{%- set complete = ' filter (where not (is_image and is_partial))' if pending.partial_rows and table.key else '' -%}
max_by({{ change_struct(pending, table) }}, {{ offset_order() }}){{ complete }}
{%- endmacro %}
