{# Not without a key: there the rows of the last batch keep it from being counted twice. #}
{% macro remove_tombstones(state, table, batch) -%}
{%- set days = table.get('tombstone_days') -%}
{%- if batch and table.key and days is not none -%}
{%- call statement('tombstones') -%}
delete from {{ state }}
where _is_deleted and not ({{ is_truncation() }}) and _batch < {{ batch - days * 86400000 }}
{%- endcall -%}
{%- endif -%}
{%- endmacro %}
