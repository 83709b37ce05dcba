{% macro state_view(table, definition) -%}
{#- a view keeps the types of what it reads -#}
{%- set checksum = local_md5(tojson([definition, declared_columns(table)])) -%}
{%- if not load_cached_relation(this) or table_properties(this).get('changelake_definition') != checksum -%}
{%- call statement('view') -%}
create or replace view {{ this }}
tblproperties ('changelake_definition' = '{{ checksum }}')
as
{{ definition }}
{%- endcall -%}
{%- endif -%}
{%- endmacro %}
