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
            -- dropping a view or a temporary table has the same code, but does not drop the table
            when codes.operation = 'other' or (codes.operation = 'drop' and {{ without_comments(sql) }} rlike r'(?i)^[\s;]*+drop\s')
                then {{ ddl_operation(sql) }}
            else codes.operation
        end as meaning
    from {{ relation }}
    left join {{ operations }} as codes
        on codes.format = '{{ format }}' and codes.code = {{ code }}
)
{%- endmacro %}
