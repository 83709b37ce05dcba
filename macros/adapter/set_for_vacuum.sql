{#
    Has VACUUM keep to the hours that it is given, make no commits (a run would take them for news), and list a
    table's files by eight tasks and not by ten thousand.

    Arguments:
        is_checked (string): `true`: Delta refuses less than 7 days; or `false`.
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
