{% macro seen_values(change_events, tables, lists) -%}
with texts as (
    select
        feed,
        database_name,
        schema_name,
        table_name,
        explode(coalesce(`after`, `before`)) as (column_name, text)
    from {{ change_events }}
    where event_type = 'row' and ({{ tables }})
),

elements as (
    select
        * except (text),
        explode(if({{ lists }}, from_json(text, 'array<string>'), array(text))) as value
    from texts
),

numbers as (
    select
        *,
        regexp_extract(value, '[.]([0-9]+)', 1) as fraction,
        coalesce(try_cast(regexp_extract(value, r'[eE]([+-]?[0-9]+)\z', 1) as int), 0) as exponent
    from elements
    where value is not null
)

select
    feed,
    database_name,
    schema_name,
    table_name,
    column_name,
    count(value) as count,
    bool_and(value rlike r'^(0|-?[1-9][0-9]*)\z') as integers,
    bool_and(value rlike r'^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]{1,2})?\z') as numbers,
    bool_and(value in ('true', 'false')) as booleans,
    bool_and(value rlike r'^[0-9]{4}-[0-9]{2}-[0-9]{2}Z?\z') as dates,
    bool_and(value rlike r'^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T:][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6}0*)?)?\z') as datetimes,
    bool_and(value rlike r'^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T:][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6}0*)? ?(Z|[+-][0-9]{2}:?[0-9]{2}|[A-Z][A-Za-z_]+(/[A-Z][A-Za-z_]+)?)\z') as instants,
    bool_and(value rlike r'^1[0-9]{9}[.][0-9]{3,9}\z') as epochs,
    bool_and(startswith(value, '{')) as objects,
    bool_or(value rlike '[A-Za-z]') as letters,
    bool_and(value rlike r'^([A-Za-z0-9+/]{4})*+([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?\z') as base64,
    bool_and(value rlike r'^([0-9a-f]{2})*+\z') and max(length(value)) >= 8 as hex,
    -- PostgreSQL's infinities, in micro- or milliseconds, do not tell the unit of a time
    coalesce(max(if(
        value in ('9223372036825200000', '-9223372036832400000', '9223372036825200', '-9223372036832400'),
        null,
        length(regexp_extract(value, '^-?([0-9]+)', 1)) + greatest(exponent, 0)
    )), 0) as whole_digits,
    -- with an exponent, there is always a digit after the point: `1.0E-6`
    coalesce(
        max(greatest(length(if(exponent = 0, fraction, trim(trailing '0' from fraction))) - exponent, 0)), 0
    ) as fraction_digits,
    coalesce(
        max(length(rtrim('0', ltrim('0', translate(regexp_replace(value, '[eE].*', ''), '+-.', ''))))), 0
    ) as significant_digits,
    array() as kinds
from numbers
group by feed, database_name, schema_name, table_name, column_name
{%- endmacro %}
