{#
    The lake's place as an absolute path or URL: CHANGELAKE_HOME. Spark takes a relative location
    for one below its warehouse, so a relative CHANGELAKE_HOME is found by the warehouse, which the
    profile puts into it.
#}
{% macro lake_location() -%}
{%- set home = env_var('CHANGELAKE_HOME', '') or 'lake' -%}
{%- if home.startswith('/') or '://' in home -%}
{{ return(home) }}
{%- endif -%}
{%- set warehouse = run_query('describe schema default').rows | selectattr('info_name', 'equalto', 'Location') | map(attribute='info_value') | first -%}
{{ return(warehouse.rpartition('/warehouse')[0]) }}
{%- endmacro %}
