{% macro state_view(table, definition) -%}
{#- with the columns, since a view keeps the types of its source -#}
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
