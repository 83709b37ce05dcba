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
    described.* except (definition),
    definition.`table-def` as table_def,
    types.column_types
from (
    select
        *,
        case when reject is null and event_type = 'schema' then from_json(control, '{{ fields }}') end as definition
    from {{ relation }}
) as described
-- here and not in the select, which Spark would not compile with a lambda in it
lateral view inline(array(struct(
    to_json(transform_values(
        definition.`table-def`.columns,
        (name, kind) -> concat(
            kind.`type`,
            case
                when kind.precision is not null then concat('(', kind.precision, ',', coalesce(kind.scale, '0'), ')')
                when coalesce(kind.length, kind.scale) is not null then concat('(', coalesce(kind.length, kind.scale), ')')
                else ''
            end
        )
    ))
))) types as column_types
{%- endmacro %}
