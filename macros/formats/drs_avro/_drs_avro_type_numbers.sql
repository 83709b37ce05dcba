{# DRS's own type numbers by layout; for MySQL's layout, JDBC's numbers as well. #}
{% macro _drs_avro_type_numbers(drs_types, jdbc_types) -%}
(
                    select
                        layout as source_type,
                        code as number,
                        type_name,
                        cast(null as string) as bytes_type_name
                    from {{ drs_types }}
                    union all
                    select
                        'mysqlType',
                        jdbc.code,
                        lower(jdbc.jdbc_type),
                        null
                    from {{ jdbc_types }} as jdbc
                    left anti join {{ drs_types }} as own on own.layout = 'mysqlType' and jdbc.code = own.code
                )
{%- endmacro %}
