{% macro formats() -%}
{{ return([
    'drs_json',
    'drs_json_c',
    'drs_mongo',
    'drs_avro',
    'oceanbase_default',
    'oceanbase_default_extended',
    'oceanbase_dataworks',
    'oceanbase_shareplex',
    'canal',
    'cloudcanal_json',
    'debezium',
    'dts_avro',
    'ckafka_format_one',
    'dataworks_streamx',
    'dms_json',
    'ogg_json',
    'maxwell',
    'debezium_mongodb',
    'ticdc',
    'debezium_avro',
]) }}
{%- endmacro %}
