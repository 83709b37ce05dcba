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
