{% macro optimize_table(relation) -%}
{%- do run_query('set spark.databricks.delta.optimize.minFileSize = 67108864') -%}
{%- do run_query('set spark.databricks.delta.optimize.maxFileSize = 134217728') -%}
{#- the name is quoted, since Delta's own statements know fewer words as names than Spark's -#}
{%- do run_query('optimize ' ~ relation.schema ~ '.' ~ sql_name(relation.identifier)) -%}
{%- endmacro %}
