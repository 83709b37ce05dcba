{#
    The JSON messages of Huawei Cloud DRS, in both layouts: `mysqlType` of MySQL and TaurusDB,
    `columnType` of PostgreSQL, GaussDB, Oracle and SQL Server. One object per statement, with its rows in
    `data`, and in `old` those from before. See docs/formats/drs_json.md.

    Arguments:
        messages (string): a relation or CTE with bronze's columns.
        operations (string): the relation of the seed operation_codes.

    Returns: a select of the contract's columns and the outcome's, one row per event.
#}
{% macro parse_drs_json(messages, operations) %}
{{ drs_events(messages, operations, 'drs_json', deleted_rows='old') }}
{% endmacro %}
