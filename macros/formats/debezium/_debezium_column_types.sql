{#
    The columns' types as the schema part has them, as the text of a JSON object: the semantic name
    (`io.debezium.time.Date`), else Connect's type (`int64`); a decimal's with
    `:scale=2,precision=10` behind it, a bit string's with `:length=5`; `array<int32>` with the type of its
    elements; `int64 unsigned` where Debezium is told to say the source's own
    type (`column.propagate.source.type`) and that is MySQL's BIGINT UNSIGNED, whose upper half comes
    negative. Null where there is no schema part.
#}
{% macro _debezium_column_types() -%}
nullif(concat('{', array_join(transform(
        if(
            shape = 'flattened',
            transform(
                filter(schema_fields, kind -> map_contains_key(image, kind.field)),
                kind -> struct(kind.field, kind.type, kind.name, kind.parameters, kind.items)
            ),
            coalesce(
                filter(schema_fields, image -> image.field = 'after')[0].fields,
                filter(schema_fields, image -> image.field = 'before')[0].fields
            )
        ),
        kind -> concat(
            if(kind.field rlike r'["\\\x00-\x1f]', {{ json_string('kind.field') }}, concat('"', kind.field, '"')), ':"',
            if(kind.type = 'array', coalesce(concat('array<', {{ _debezium_type('kind.items') }}, '>'), 'array'), {{ _debezium_type('kind') }}),
            if(
                kind.type = 'int64' and kind.name is null
                and startswith(upper(kind.parameters.`__debezium.source.column.type`), 'BIGINT UNSIGNED'),
                ' unsigned', ''
            ),
            '"'
        )
    ), ','), '}'), '{}')
{%- endmacro %}

{% macro _debezium_type(kind) -%}
concat(
                coalesce({{ kind }}.name, {{ kind }}.type),
                coalesce(concat(':scale=', {{ kind }}.parameters.scale), ''),
                coalesce(concat(',precision=', {{ kind }}.parameters.`connect.decimal.precision`), ''),
                coalesce(concat(':length=', {{ kind }}.parameters.length), '')
            )
{%- endmacro %}
