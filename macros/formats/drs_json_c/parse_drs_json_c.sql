{#
    The JSON-C messages of Huawei Cloud DRS: its JSON of MySQL and TaurusDB with a deleted row in `data`
    and with times as text. See docs/formats/drs_json_c.md.

    Arguments:
        messages (string): a relation or CTE with bronze's columns.
        operations (string): the relation of the seed operation_codes.

    Returns: a select of the contract's columns and the outcome's, one row per event.
#}
{% macro parse_drs_json_c(messages, operations) %}
{{ drs_events(messages, operations, 'drs_json_c', deleted_rows='data') }}
{% endmacro %}
