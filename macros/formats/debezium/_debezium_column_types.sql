{#
    The columns' types as the schema part has them, as the text of a JSON object: the semantic name
    (`io.debezium.time.Date`), else Connect's type (`int64`); a decimal's with
    `:scale=2,precision=10` behind it. Null where there is no schema part.
#}
{% macro _debezium_column_types() -%}
nullif(concat('{', array_join(transform(
        if(
            shape = 'flattened',
            transform(
                filter(message.schema.fields, column -> map_contains_key(image, column.field)),
                column -> struct(column.field, column.type, column.name, column.parameters)
            ),
            coalesce(
                filter(message.schema.fields, image -> image.field = 'after')[0].fields,
                filter(message.schema.fields, image -> image.field = 'before')[0].fields
            )
        ),
        column -> concat(
            '"', if(column.field rlike r'["\\\x00-\x1f]', replace(replace(column.field, chr(92), repeat(chr(92), 2)), '"', concat(chr(92), '"')), column.field), '":"',
            coalesce(column.name, column.type),
            if(column.parameters.scale is null, '', concat(':scale=', column.parameters.scale)),
            coalesce(concat(',precision=', column.parameters.`connect.decimal.precision`), ''),
            '"'
        )
    ), ','), '}'), '{}')
{%- endmacro %}
