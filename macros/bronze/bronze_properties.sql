{#
    A build reads the rows of new versions from the change data feed, which costs nothing for
    appended rows. In target sample, seeds replace the rows. Statistics of whole messages would be
    expensive and skip nothing.
#}
{% macro bronze_properties() -%}
'delta.appendOnly' = 'true',
'delta.enableChangeDataFeed' = 'true',
'delta.dataSkippingStatsColumns' = 'feed,kafka_topic,kafka_partition,kafka_offset,kafka_timestamp,landed_at'
{%- endmacro %}
