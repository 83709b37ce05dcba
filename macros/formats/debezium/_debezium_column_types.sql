{#
    The columns' types as the schema part has them, as the text of a JSON object: the semantic name
    (`io.debezium.time.Date`), else Connect's type (`int64`); a decimal's with
    `:scale=2,precision=10` behind it, a bit string's with `:length=5`; `array<int32>` with the type of its
    elements. Null where there is no schema part.

    Where Debezium is told to say the source's own type (`column.propagate.source.type`), a word behind the
    name tells apart what is one for Debezium: `int64 unsigned` is MySQL's BIGINT UNSIGNED, whose upper half
    comes negative; `io.debezium.data.Bits varying` PostgreSQL's BIT VARYING, whose length is the longest;
    `io.debezium.data.Json hstore` its HSTORE; `bytes text` the text of any type of its that Debezium does not
    know (`include.unknown.datatypes`), and `bytes hierarchyid` SQL Server's.
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
            coalesce(
                concat('array<', {{ _debezium_type('kind.items', _debezium_word_of_bytes('kind.items', '_BYTEA')) }}, '>'),
                concat({{ _debezium_type('kind', _debezium_word()) }}, coalesce(concat(':length=', kind.parameters.length), ''))
            ),
            '"'
        )
    ), ','), '}'), '{}')
{%- endmacro %}

{% macro _debezium_type(kind, word="''") -%}
concat(
                    coalesce({{ kind }}.name, {{ kind }}.type),
                    {{ word }},
                    coalesce(concat(':scale=', {{ kind }}.parameters.scale), ''),
                    coalesce(concat(',precision=', {{ kind }}.parameters.`connect.decimal.precision`), '')
                )
{%- endmacro %}

{% macro _debezium_word() -%}
{%- set source_type = 'upper(kind.parameters.`__debezium.source.column.type`)' -%}
case
                        when kind.type = 'int64' and kind.name is null and startswith({{ source_type }}, 'BIGINT UNSIGNED') then ' unsigned'
                        when kind.name = 'io.debezium.data.Bits' and {{ source_type }} = 'VARBIT' then ' varying'
                        when kind.name = 'io.debezium.data.Json' and {{ source_type }} = 'HSTORE' then ' hstore'
                        else {{ _debezium_word_of_bytes('kind', 'BYTEA') }}
                    end
{%- endmacro %}

{#
    The word of a column of bytes. A column that is not an array has no items, which is all that is checked
    of it. If PostgreSQL's own type is not its type of bytes, the bytes are the value's text.
#}
{% macro _debezium_word_of_bytes(kind, name) -%}
{%- set source_type = 'upper(kind.parameters.`__debezium.source.column.type`)' -%}
case
                            when not ({{ kind }}.type <=> 'bytes' and {{ kind }}.name is null) then ''
                            when {{ source_type }} = 'HIERARCHYID' then ' hierarchyid'
                            when {{ source_type }} != '{{ name }}'
                                and lower(if(shape = 'flattened', {{ _debezium_flat('connector') }}, payload.source.connector)) = 'postgresql'
                                then ' text'
                            else ''
                        end
{%- endmacro %}
