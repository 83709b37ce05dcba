{#
    An image of a row, without the columns that were not captured (EmptyObject's NONE); its NULL is
    SQL NULL.

    Arguments:
        values (string): a column of type array<struct<member0: …>>.
#}
{% macro _dts_image(values) -%}
{%- set has_none = "array_contains(" ~ values ~ ".member11, 'NONE')" -%}
case
            when event_type = 'row' and size({{ values }}) = size(fields) then
        {{ avro_image(
            "if(" ~ has_none ~ ", filter(fields.name, (name, i) -> " ~ values ~ "[i].member11 is distinct from 'NONE'), fields.name)",
            "if(" ~ has_none ~ ", filter(" ~ values ~ ", value -> value.member11 is distinct from 'NONE'), " ~ values ~ ")",
            [
                (5, _dts_datetime('value.member5')),
                (6, "concat(" ~ _dts_datetime('value.member6.value') ~ ", if(value.member6.timezone rlike '^[A-Za-z]', ' ', ''), value.member6.timezone)"),
                (7, base64_text('value.member7.value')),
                (8, 'value.member8.value'),
                (9, "if(" ~ _dts_is_json('value', _dts_number(has_none, values)) ~ ", cast(value.member9.value as string), " ~ base64_text('value.member9.value') ~ ")"),
                (10, 'value.member10.value'),
            ],
            zero_timestamp="if(source_type in ('mysql', 'drds'), '0000-00-00 00:00:00', '0')"
        ) }}
        end
{%- endmacro %}

{#
    The text of a DateTime by the parts that it has: a date, a date and time, a time of day or a
    duration (with its sign in every part), a year, an interval of years and months, or one of days
    and a time; of parts that make none of these all behind a question mark. format_string() cuts
    nothing, lpad() would; a sign is taken off in 64 bits, as the smallest integer of 32 has no positive one.
#}
{% macro _dts_datetime(parts) -%}
if({{ _dts_are_odd(parts) }}, concat('?', to_json({{ parts }})), concat(
                    case
                        when {{ parts }}.year is null
                            then if(least({{ parts }}.day, {{ parts }}.hour, {{ parts }}.minute, {{ parts }}.second, {{ parts }}.millis) < 0, '-', '')
                        else if(least({{ parts }}.year, if({{ parts }}.day is null, {{ parts }}.month, 0)) < 0, '-', '')
                    end,
                    case
                        when {{ parts }}.year is not null and {{ parts }}.day is not null
                            then concat({{ _dts_digits(parts, 4, 'year') }}, '-', {{ _dts_digits(parts, 2, 'month') }}, '-', {{ _dts_digits(parts, 2, 'day') }})
                        when {{ parts }}.year is not null
                            then concat(
                                {{ _dts_digits(parts, 1, 'year') }},
                                case when {{ parts }}.month is null then '' else concat('-', {{ _dts_digits(parts, 1, 'month') }}) end
                            )
                        when {{ parts }}.day is not null then {{ _dts_digits(parts, 1, 'day') }}
                        else ''
                    end,
                    if({{ parts }}.day is not null and {{ parts }}.hour is not null, ' ', ''),
                    case
                        when {{ parts }}.hour is not null
                            then concat({{ _dts_digits(parts, 2, 'hour') }}, ':', {{ _dts_digits(parts, 2, 'minute') }}, ':', {{ _dts_digits(parts, 2, 'second') }})
                        else ''
                    end,
                    case
                        when {{ parts }}.millis is null or {{ parts }}.millis = 0 then ''
                        when has_nanoseconds
                            or (source_type not in ('mysql', 'drds', 'postgresql') and {{ parts }}.millis > 999999)
                            then {{ _dts_fraction(parts, 9) }}
                        else {{ _dts_fraction(parts, 6) }}
                    end
                ))
{%- endmacro %}

{# Whether inner parts of a DateTime are missing, or parts differ in sign. #}
{% macro _dts_are_odd(parts) -%}
{%- set below_year = [] -%}
{%- for part in ['month', 'day', 'hour', 'minute', 'second', 'millis'] -%}
{%- do below_year.append(parts ~ '.' ~ part) -%}
{%- endfor -%}
{%- set below_year = below_year | join(', ') -%}
(
                    coalesce({{ parts }}.year, {{ parts }}.day, {{ parts }}.hour) is null
                    or ({{ parts }}.hour is null) != ({{ parts }}.minute is null)
                    or ({{ parts }}.hour is null) != ({{ parts }}.second is null)
                    or if({{ parts }}.year is null, {{ parts }}.month is not null, {{ parts }}.day is not null and {{ parts }}.month is null)
                    or coalesce(least({{ below_year }}) < 0 and if(
                        {{ parts }}.year is null or {{ parts }}.day is null,
                        greatest({{ parts }}.year, {{ below_year }}) > 0,
                        true
                    ), false)
                )
{%- endmacro %}

{# The digits after the point; a number of a whole unit or more makes the time invalid. #}
{% macro _dts_fraction(parts, digits) -%}
concat(if(abs(cast({{ parts }}.millis as bigint)) < {{ 10 ** digits }}, '.', '?'), {{ _dts_digits(parts, digits, 'millis') }})
{%- endmacro %}

{% macro _dts_digits(parts, width, part) -%}
format_string('%0{{ width }}d', abs(cast({{ parts }}.{{ part }} as bigint)))
{%- endmacro %}

{#
    The condition that a value is JSON in bytes, as of PostgreSQL: there it is text.

    Arguments:
        value (string): an expression of type struct<member0: …>.
        number (string): an expression of type int: its type's.
#}
{% macro _dts_is_json(value, number) -%}
(source_type in ('postgresql', 'ppas') and {{ number }} in (114, 3802) and is_valid_utf8(cast({{ value }}.member9.value as string)))
{%- endmacro %}

{# For the value at `i` of an image without the values that were not captured. #}
{% macro _dts_number(has_none, values) -%}
if({{ has_none }}, filter(fields, (field, place) -> {{ values }}[place].member11 is distinct from 'NONE'), fields)[i].dataTypeNumber
{%- endmacro %}

{#
    The columns' types, as the text of a JSON object. Of numbers that MySQL has for a text and for bytes
    alike, the value tells which; a null does not. Bytes of a type that has none are just that.
#}
{% macro _dts_column_types(fields, values, type_names) -%}
case
            -- otherwise the message is a reject, and Spark would fail on a map that lacks a key
            when event_type = 'row' and size({{ values }}) = size({{ fields }}) then to_json(map_from_arrays(
                {{ fields }}.name,
                zip_with(
                    zip_with({{ fields }}, {{ values }}, (field, value) -> struct(
                        try_add(field.dataTypeNumber, 16) as number,
                        value is null or value.member11 is not null as is_null,
                        value.member1 is not null or value.member10 is not null as is_text,
                        (value.member7 is not null or value.member9 is not null or lower(value.member1.charset) <=> 'binary')
                        and not coalesce({{ _dts_is_json('value', 'field.dataTypeNumber') }}, false) as is_bytes
                    )),
                    array_repeat({{ type_names }}, size({{ fields }})),
                    (kind, names) -> case
                        when kind.is_bytes then coalesce(
                            get(names, kind.number).bytes,
                            if(get(names, kind.number).text in ('bytea', 'raw', 'long raw', 'blob'), get(names, kind.number).text, 'binary object')
                        )
                        when not kind.is_null or get(names, kind.number).bytes is null
                            then coalesce(get(names, kind.number).text, if(kind.is_text, 'text object', null))
                    end
                )
            ))
        end
{%- endmacro %}
