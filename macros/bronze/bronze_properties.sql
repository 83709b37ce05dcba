{#
    A build reads what the versions since its last one brought from the change data feed, which
    costs nothing for appended rows. Seeds replace the rows in target sample. Statistics of whole
    messages would cost much and skip nothing.
#}
{% macro bronze_properties() -%}
'delta.appendOnly' = 'true',
'delta.enableChangeDataFeed' = 'true',
'delta.dataSkippingStatsColumns' = 'feed,kafka_topic,kafka_partition,kafka_offset,kafka_timestamp,landed_at'
{%- endmacro %}
