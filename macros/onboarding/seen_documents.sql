{% macro seen_documents(change_events, tables) -%}
with fields as (
    select
        feed,
        database_name,
        schema_name,
        table_name,
        `after`,
        explode(map_concat(
            if(
                is_partial,
                from_json(`after`['_document'], 'map<string, map<string, variant>>')['$set'],
                from_json(`after`['_document'], 'map<string, variant>')
            ),
            map('_document', parse_json('""'))
        )) as (column_name, value)
    from {{ change_events }}
    where event_type = 'row' and operation != 'delete' and ({{ tables }})
),

typed as (
    select
        *,
        schema_of_variant(value) as type,
        `after`[column_name] as text
    from fields
),

kinds as (
    select
        *,
        case
            when column_name = '_document' then 'document'
            when type = 'STRING' and column_name = '_id' then 'string id'
            when type like 'OBJECT<`$%' or type like 'OBJECT<$%' then coalesce(
                map(
                    'oid', 'objectId', 'numberLong', 'long', 'numberInt', 'int', 'numberDouble', 'double',
                    'numberDecimal', 'decimal', 'date', 'date', 'binary', 'binData', 'uuid', 'uuid', 'symbol', 'symbol',
                    'timestamp', 'timestamp', 'regularExpression', 'regex'
                )[regexp_extract(type, '[$]([A-Za-z]+)', 1)],
                'object'
            )
            else case split_part(split_part(type, '(', 1), '<', 1)
                when 'STRING' then 'string'
                when 'BOOLEAN' then 'bool'
                when 'BIGINT' then 'int'
                when 'ARRAY' then 'array'
                when 'OBJECT' then 'object'
                else 'double'
            end
        end as kind,
        regexp_extract(text, '"[$]numberDecimal":"([^"]*)"', 1) as number,
        coalesce(try_cast(regexp_extract(text, '[eE]([+-]?[0-9]+)"', 1) as int), 0) as exponent
    from typed
    where type != 'VOID'
)

select
    feed,
    database_name,
    schema_name,
    table_name,
    column_name,
    count(*) as count,
    false as integers,
    false as numbers,
    false as booleans,
    false as dates,
    false as datetimes,
    false as instants,
    false as epochs,
    false as objects,
    false as letters,
    false as base64,
    false as hex,
    coalesce(max(length(regexp_extract(number, '^-?([0-9]+)', 1)) + greatest(exponent, 0)), 0) as whole_digits,
    coalesce(max(greatest(length(regexp_extract(number, '[.]([0-9]+)', 1)) - exponent, 0)), 0)
        as fraction_digits,
    0 as significant_digits,
    array_sort(collect_set(kind)) as kinds
from kinds
group by feed, database_name, schema_name, table_name, column_name
{%- endmacro %}
