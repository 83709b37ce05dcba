{#
    Spark takes a relative location as one below its warehouse, so a relative CHANGELAKE_HOME is
    resolved by the warehouse's path, which the profile derives from it; that of target sample lies
    in the lake.
#}
{% macro lake_location() -%}
{%- set home = env_var('CHANGELAKE_HOME', '') or 'lake' -%}
{%- if home.startswith('/') or '://' in home -%}
{{ return(home) }}
{%- endif -%}
{%- set warehouse = run_query('describe schema default').rows | selectattr('info_name', 'equalto', 'Location') | map(attribute='info_value') | first -%}
{{ return(warehouse.rpartition('/sample/warehouse' if target.name == 'sample' else '/warehouse')[0]) }}
{%- endmacro %}
