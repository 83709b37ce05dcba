{#
    The source's own types, as the contract's column_types: those of the numbers in `fields`, by
    `type_names`. Of a number that no list has, or that says no type, the value's record tells.
#}
{% macro _drs_avro_column_types() -%}
{%- set values = 'if(size(new_values) > 0, new_values, old_values)' -%}
case
            when event_type = 'row' and size({{ values }}) = size(fields)
                then to_json(map_from_arrays(fields.name, zip_with(
                    zip_with(fields, {{ values }}, (field, value) -> struct(
                        try_add(field.dataTypeNumber, 16) as number,
                        value.member7 is not null or lower(value.member1.charset) <=> 'binary' as is_bytes,
                        value.member1 is not null as is_text
                    )),
                    array_repeat(type_names, size(fields)),
                    (kind, names) -> case
                        when lower(get(names, kind.number).text) != 'other' then get(names, kind.number).text
                        when kind.is_bytes then 'blob'
                        when kind.is_text then 'varchar'
                    end
                )))
        end
{%- endmacro %}
