{# The formats that there is a parser for: the one list that the models and tests go by. #}
{% macro formats() -%}
{{ return(['drs_json', 'drs_json_c', 'oceanbase_default', 'oceanbase_default_extended', 'oceanbase_dataworks', 'oceanbase_shareplex', 'canal', 'cloudcanal_json', 'debezium', 'ckafka_format_one', 'dataworks_streamx', 'drs_mongo', 'drs_avro', 'dts_avro']) }}
{%- endmacro %}
