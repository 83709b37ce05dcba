{#
    A relation's rows with what their operation code means.

    Arguments:
        relation (string): a CTE.
        operations (string): the relation of the seed operation_codes.
        format (string): the dialect whose codes they are.
        code (string): an expression over the relation of type string: the code.
        sql (string): an expression over the relation of type string: the statement of a DDL event,
            whose first words tell what the code `other` leaves open, and what `drop` drops.

    Returns: a select of the relation's columns, and
        code (string): the code, null if it is none of the dialect's
        event_type, operation (string): as in the contract; null with the code
#}
{% macro coded_events(relation, operations, format, code, sql) %}
select
    * except (code_event_type, meaning),
    if(meaning = 'truncate', 'truncate', code_event_type) as event_type,
    nullif({{ non_blank('meaning') }}, 'truncate') as operation
from (
    select
        {{ relation }}.*,
        codes.code,
        codes.event_type as code_event_type,
        case
            -- the code of the end of a view or of a temporary table is the same, and the table stays
            when codes.operation = 'other' or (codes.operation = 'drop' and {{ without_comments(sql) }} rlike r'(?i)^[\s;]*+drop\s')
                then {{ ddl_operation(sql) }}
            else codes.operation
        end as meaning
    from {{ relation }}
    left join {{ operations }} as codes
        on codes.format = '{{ format }}' and codes.code = {{ code }}
)
{%- endmacro %}
