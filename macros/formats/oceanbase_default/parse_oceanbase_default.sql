{#
    OceanBase Migration Service's JSON of the serialisation Default: one object per row, with the row
    before in `prevStruct`, the row after in `postStruct`, and what they are in `allMetaData`. See
    docs/formats/oceanbase_default.md.

    Arguments:
        messages (string): a relation or CTE with bronze's columns.
        operations (string): the relation of the seed operation_codes.

    Returns: a select of the contract's columns and the outcome's, one row per event.
#}
{% macro parse_oceanbase_default(messages, operations) %}
{{ oceanbase_struct_events(messages, operations, 'oceanbase_default') }}
{% endmacro %}
