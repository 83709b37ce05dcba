{#
    OceanBase Migration Service's JSON of the serialisation DefaultExtendColumnType: as that of
    Default, and in each image an entry `__light_type` with the types of its columns. See
    docs/formats/oceanbase_default_extended.md.

    Arguments:
        messages (string): a relation or CTE with bronze's columns.
        operations (string): the relation of the seed operation_codes.

    Returns: a select of the contract's columns and the outcome's, one row per event.
#}
{% macro parse_oceanbase_default_extended(messages, operations) %}
{{ oceanbase_struct_events(messages, operations, 'oceanbase_default_extended', has_types=true) }}
{% endmacro %}
