{#
    Creates the view of a table of the schema `state`, where it is not there as it has to be.

    Arguments:
        table (dictionary): the model's meta.
        definition (string): see state_view_definition().
#}
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
