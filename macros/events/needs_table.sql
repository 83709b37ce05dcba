{#
    The condition that an event of the operation code `codes` says nothing unless it names a table.

    Arguments:
        sql (string): an expression of type string, the statement of a DDL event.
#}
{% macro needs_table(sql) -%}
(
                    codes.event_type in ('row', 'truncate')
                    or (codes.operation = 'other' and {{ ddl_operation(sql) }} = 'truncate')
                )
{%- endmacro %}
