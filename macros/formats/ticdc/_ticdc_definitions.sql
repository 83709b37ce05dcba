{#
    The messages with what one of the Simple Protocol tells of its table: of a statement and of a bootstrap.

    Where the protocol sends Base64, the type says so by its character set: `blob character set binary`.
    Canal-JSON, whose types have none, sends a character a byte.

    Arguments:
        relation (string): a CTE with the column `table_schema`.

    Returns: a select of its columns, and
        defined_columns (string): the columns, as types_of_columns() takes them
        defined_key (array<string>): the primary key's columns
#}
{% macro _ticdc_definitions(relation) -%}
select
    {{ relation }}.*,
    definition.*
from {{ relation }}
-- not in the select, which Spark would not compile if it contained a lambda
lateral view inline(array(struct(
    to_json(transform(
        table_schema.columns,
        defined -> struct(
            defined.name as name,
            concat(
                defined.dataType.mysqlType,
                case
                    when defined.dataType.elements is not null
                        then concat("('", array_join(transform(defined.dataType.elements, label -> replace(replace(label, '\\', '\\\\'), "'", "''")), "','"), "')")
                    when defined.dataType.mysqlType = 'decimal'
                        then concat('(', defined.dataType.length, ',', coalesce(defined.dataType.decimal, '0'), ')')
                    when defined.dataType.mysqlType in ('datetime', 'timestamp', 'time') and defined.dataType.decimal between '1' and '6'
                        then concat('(', defined.dataType.decimal, ')')
                    when defined.dataType.mysqlType in ('bit', 'char', 'varchar', 'binary', 'varbinary')
                        then concat('(', coalesce(defined.dataType.length, '0'), ')')
                    else ''
                end,
                if(defined.dataType.unsigned = 'true' and defined.dataType.mysqlType not in ('bit', 'year'), ' unsigned', ''),
                if(defined.dataType.mysqlType rlike 'binary|blob', ' character set binary', '')
            ) as type
        )
    )),
    case
        when table_schema.columns is not null
            then coalesce(get(filter(table_schema.indexes, one -> one.primary = 'true'), 0).columns, array())
    end
))) definition as defined_columns, defined_key
{%- endmacro %}
