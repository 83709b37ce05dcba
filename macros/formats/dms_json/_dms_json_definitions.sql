{#
    The messages with what a control message tells of its table, where it does (IncludeControlDetails).

    Arguments:
        relation (string): a CTE with the columns of parse_dms_json()'s step `classified`.

    Returns: a select of its columns, and
        details (struct): its `table-def`, the columns with their types and the primary key's names
        column_types (string): see the contract, `NUMERIC(12,3)`
#}
{% macro _dms_json_definitions(relation) -%}
{%- set definition -%}
struct<`table-def`: struct<columns: map<string, struct<`type`: string, length: string, precision: string, scale: string>>, `primary-key`: array<string>>>
{%- endset -%}
select
    described.*,
    types.column_types
from (
    select
        *,
        case
            when reject is null and event_type = 'schema'
                then from_json(control, '{{ definition }}')
        end as details
    from {{ relation }}
) as described
-- not in the select, which Spark would not compile if it contained a lambda
lateral view inline(array(struct(
    to_json(transform_values(
        details.`table-def`.columns,
        (name, defined) -> concat(
            defined.`type`,
            case
                when defined.precision is not null then concat('(', defined.precision, ',', coalesce(defined.scale, '0'), ')')
                when coalesce(defined.length, defined.scale) is not null then concat('(', coalesce(defined.length, defined.scale), ')')
                else ''
            end
        )
    ))
))) types as column_types
{%- endmacro %}
