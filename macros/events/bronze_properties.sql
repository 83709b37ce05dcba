{#
    The properties of bronze's tables, which the landing job reads here too. In target sample seeds replace
    their rows.

    A build reads what came with the versions since its last one, from the change data feed, which costs
    appended rows nothing. Statistics of whole messages would cost much and skip nothing.
#}
{% macro bronze_properties() -%}
'delta.appendOnly' = 'true',
'delta.enableChangeDataFeed' = 'true',
'delta.dataSkippingStatsColumns' = 'feed,kafka_topic,kafka_partition,kafka_offset,kafka_timestamp,landed_at'
{%- endmacro %}
