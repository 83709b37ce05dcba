{#
    One row per event: of a schema change one for each table that the statement changed.

    Arguments:
        relation (string): a CTE with the columns of parse_debezium()'s step `classified`.
        column_types (string): an expression of type string over them, see the contract.

    Returns: a select of its columns, and
        row_index (int): the event's place in the message
        known (map<string, string>): an image without a flattened row's metadata and the values that the
            source did not send; null where all of it is known
        known_before (map<string, string>): the image before, likewise
        column_types (string), see the contract
        flat_source (struct): what a flattened row says of its source
        change_type, change_id (string): of the table change
#}
{% macro _debezium_rows(relation, column_types) -%}
select
    {{ relation }}.*,
    event.*,
    {{ _debezium_table_change('type') }} as change_type,
    {{ _debezium_table_change('id') }} as change_id
from {{ relation }}
-- one statement can change several tables; expressions with lambdas, which Spark does not compile, are here
lateral view inline(transform(
    sequence(0, if(
        reject is null and event_type = 'schema',
        greatest(coalesce(json_array_length(payload.tableChanges), 1), 1), 1
    ) - 1),
    row_index -> struct(
        row_index,
        case when shape = 'flattened' or lacks_values then {{ _debezium_known_columns('image') }} end as known,
        {{ _debezium_known_before() }} as known_before,
        case when event_type = 'row' then {{ column_types }} end as column_types,
        case when shape = 'flattened' then {{ _debezium_flat_source() }} end as flat_source
    )
)) event as row_index, known, known_before, column_types, flat_source
{%- endmacro %}
