{#
    dbt-spark's own, but a model that has found nothing to do, and says so in run_notes(), costs no
    statement. Where its table is not there either, a view without rows stands in for it, with the columns
    of its contract: that of a format without a feed. dbt-spark makes it a table once there is something.
#}
{% materialization incremental, adapter='spark', supported_languages=['sql', 'python'] %}
{%- if model.unique_id not in run_notes().idle -%}
{{ return(dbt.materialization_incremental_spark()) }}
{%- endif -%}
{%- if load_relation(this) is none -%}
{%- call statement('main') -%}
create view {{ this }} as {{ get_empty_schema_sql(model.columns) }} where false
{%- endcall -%}
{{ return({'relations': [this.incorporate(type='view')]}) }}
{%- endif -%}
{%- call noop_statement('main', 'nothing new') -%}{%- endcall -%}
{{ return({'relations': [this]}) }}
{% endmaterialization %}
