{% macro format_traits(events='') -%}
{%- set traits = {
    'before_is_whole': true,
    'snapshots_are_placed': true,
    'encodings': none,
    'sends_lists': false,
    'sends_list_texts': false,
    'leaves_out_nulls': false,
    'defines_tables': false,
    'sends_transactions': false,
    'waits_for_halves': false,
    'sends_documents': false,
} -%}
{#- DRS: `eventId` is a place in the binlog, and the changes behind it may have numbers of its own -#}
{%- do traits.update({
    'debezium_events': {'before_is_whole': false, 'encodings': 'debezium', 'sends_lists': true},
    'debezium_avro_events': {'before_is_whole': false, 'encodings': 'debezium', 'sends_lists': true},
    'drs_json_events': {'snapshots_are_placed': false, 'sends_list_texts': true},
    'drs_json_c_events': {'snapshots_are_placed': false},
    'drs_avro_events': {'snapshots_are_placed': false, 'sends_list_texts': true},
    'drs_mongo_events': {'sends_documents': true},
    'debezium_mongodb_events': {'sends_documents': true},
    'dataworks_streamx_events': {'waits_for_halves': true},
    'dts_avro_events': {'sends_list_texts': true},
    'ogg_json_events': {'sends_transactions': true},
    'ticdc_events': {'defines_tables': true},
    'dms_json_events': {'before_is_whole': false, 'leaves_out_nulls': true, 'defines_tables': true},
}.get(events or events_model().name, {})) -%}
{{ return(traits) }}
{%- endmacro %}
