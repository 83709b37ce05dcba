{#
    What a dialect's events do not say, but a table's statements depend on: the state engine asks here, and
    names no dialect.

    Arguments:
        events (string): the name of the dialect's model of events; by default of the one that the
            current model's table comes from.

    Returns: a dictionary with
        before_is_whole (boolean): what stands in an image before a change is the row's. If not, only
            its key is: what the source did not log stands there as null
        snapshots_are_placed (boolean): the position of a full load's row can be compared with those of
            the changes behind it
        encodings (string): the format in the seed source_types whose type names tell how a message
            encodes its values; none: they tell the labels of an enum alone
        leaves_out_nulls (boolean): the producer can leave NULLs out. An image that holds one is of a
            producer that does not
        defines_tables (boolean): rows have no types and no key; the statements that create or alter a
            table have both
#}
{% macro format_traits(events='') -%}
{%- set traits = {
    'before_is_whole': true,
    'snapshots_are_placed': true,
    'encodings': none,
    'leaves_out_nulls': false,
    'defines_tables': false,
} -%}
{#- DRS: `eventId` is a place in the binlog, and the changes behind it may have numbers of its own -#}
{%- do traits.update({
    'debezium_events': {'before_is_whole': false, 'encodings': 'debezium'},
    'debezium_avro_events': {'before_is_whole': false, 'encodings': 'debezium'},
    'drs_json_events': {'snapshots_are_placed': false},
    'drs_json_c_events': {'snapshots_are_placed': false},
    'drs_avro_events': {'snapshots_are_placed': false},
    'dms_json_events': {'before_is_whole': false, 'leaves_out_nulls': true, 'defines_tables': true},
}.get(events or events_model().name, {})) -%}
{{ return(traits) }}
{%- endmacro %}
