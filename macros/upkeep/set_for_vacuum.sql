{#
    Runs would take VACUUM's own commits for changes; and by default Delta lists files with ten thousand tasks.
#}
{% macro set_for_vacuum(is_checked) -%}
{%- for name, value in {
    'spark.databricks.delta.vacuum.retentionWindowIgnore.enabled': 'false',
    'spark.databricks.delta.retentionDurationCheck.enabled': is_checked,
    'spark.databricks.delta.vacuum.logging.enabled': 'false',
    'spark.sql.sources.parallelPartitionDiscovery.parallelism': '8',
}.items() -%}
{%- do run_query('set ' ~ name ~ ' = ' ~ value) -%}
{%- endfor -%}
{%- endmacro %}
