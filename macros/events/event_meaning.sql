{#
    The columns event_type and operation, from the operation code's row `codes` and, where the code
    only says that it is DDL, from the statement's first words.

    Arguments:
        sql (string): an expression of type string, the statement.
#}
{% macro event_meaning(sql) -%}
if(codes.operation = 'other' and {{ ddl_operation(sql) }} = 'truncate', 'truncate', codes.event_type) as event_type,
    if(codes.operation = 'other', nullif({{ ddl_operation(sql) }}, 'truncate'), {{ non_blank('codes.operation') }}) as operation
{%- endmacro %}
