{#
    Why a message is a reject, see first_reject().

    Arguments:
        is_avro (boolean): the messages are what _debezium_avro_as_json() gives.
#}
{% macro _debezium_reject(is_avro) -%}
{#- before Debezium 2.4, a snapshot sends a DROP that names no table and drops none -#}
{{ first_reject([
            ('not_a_json_object', "'the value is not a JSON object'", "payload is null and added is null"),
            ('unknown_shape', "'neither an envelope, nor a flattened row with a key or metadata'", "shape is null"),
            ('wrong_type', "'before, after, source or another part of the envelope is not an object'",
                "mistyped and shape in ('change', 'schema')"),
            ('missing_field', "'op is missing'", "op is null"),
            non_scalar_names(['payload.source.db', 'payload.source.schema', 'table_name']),
            ('unknown_operation', "concat('op is ', op)", "code is null or " ~ _debezium_is_inner_code()),
            ('missing_field', "'the table is missing'", needs_table() ~ " and table_name is null
                and not (event_type = 'schema' and coalesce(payload.source.snapshot != 'false', false))"),
            ('missing_field', "'after holds no row'",
                "event_type = 'row' and operation != 'delete' and " ~ _debezium_is_empty('image')),
            ('missing_field', "'a null may be NULL or an unchanged value: the change stream needs value_capture_type=NEW_ROW'",
                "shape = 'change' and operation = 'update' and payload.source.value_capture_type = 'NEW_VALUES'
                and array_contains(map_values(image), 'changelake: no such value') is null"),
            ('missing_field', "'neither before nor the key tells the deleted row'",
                "operation = 'delete' and " ~ _debezium_is_empty('image') ~ "
                and coalesce(size(payload.before), 0) < 1 and coalesce(size(key_values), 0) < 1"),
            ('wrong_type', "concat('source.ts_ms is ', payload.source.ts_ms)",
                "shape = 'change' and payload.source.ts_ms is not null
                and not coalesce(
                    try_cast(payload.source.ts_ms as bigint) between -62135596800000 and 253402300799999, false
                )"),
        ], unreadable_detail="coalesce(avro_reject.detail, 'the record has more than 1,000 levels')" if is_avro else none) }}
{%- endmacro %}
