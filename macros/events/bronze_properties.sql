{# The properties of bronze's tables, as the landing job makes them; in target sample seeds replace their rows. #}
{% macro bronze_properties() -%}
'delta.appendOnly' = 'true',
'delta.enableChangeDataFeed' = 'true',
'delta.dataSkippingStatsColumns' = 'feed,kafka_topic,kafka_partition,kafka_offset,kafka_timestamp,landed_at'
{%- endmacro %}
