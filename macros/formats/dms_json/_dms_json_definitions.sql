{#
    The messages with what a control message tells of its table, where it does (IncludeControlDetails).

    Arguments:
        relation (string): a CTE with the columns of parse_dms_json()'s step `classified`.

    Returns: a select of its columns, and
        table_def (struct): the columns, with their types, and the primary key's names
        column_types (string): see the contract, `NUMERIC(12,3)`
#}
{% macro _dms_json_definitions(relation) -%}
{%- set fields -%}
`table-def` struct<columns: map<string, struct<`type`: string, length: string, precision: string, scale: string>>, `primary-key`: array<string>>
{%- endset -%}
select
    described.*,
    types.column_types
from (
    select
        *,
        case
            when reject is null and event_type = 'schema'
                then from_json(control, '{{ fields }}').`table-def`
        end as table_def
    from {{ relation }}
) as described
-- here and not in the select, which Spark would not compile with a lambda in it
lateral view inline(array(struct(
    to_json(transform_values(
        table_def.columns,
        (name, column) -> concat(
            column.`type`,
            case
                when column.precision is not null then concat('(', column.precision, ',', coalesce(column.scale, '0'), ')')
                when coalesce(column.length, column.scale) is not null then concat('(', coalesce(column.length, column.scale), ')')
                else ''
            end
        )
    ))
))) types as column_types
{%- endmacro %}
