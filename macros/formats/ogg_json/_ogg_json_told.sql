{#
    What a document tells, as a struct. One without images is a row: its columns are all but the
    formatter's own fields.
#}
{% macro _ogg_json_told() -%}
struct(
            document.`table` as full_name,
            upper(document.op_type) as code,
            meanings[upper(document.op_type)] as meaning,
            -- `{}`: the row is unknown
            {{ _ogg_json_image('document.`before`') }} as row_before,
            {{ _ogg_json_image('document.`after`') }} as row_after,
            if(
                coalesce(document.`before`, document.`after`) is null,
                {{ _ogg_json_logged("map_filter(get(flat_rows, place), (name, value) -> name not in (
                    'table', 'op_type', 'op_ts', 'current_ts', 'pos', 'primary_keys', 'tokens', 'before', 'after'
                ))") }},
                null
            ) as row_columns,
            document.primary_keys,
            document.op_ts,
            {{ _ogg_json_instant('document.op_ts') }} as committed_at,
            document.current_ts,
            {{ _ogg_json_instant('document.current_ts') }} as captured_at,
            document.pos,
            document.xid,
            document.`$schema` is not null and document.op_type is null as is_schema
        )
{%- endmacro %}

{# An image; null if it is `{}`. #}
{% macro _ogg_json_image(image) -%}
if(size({{ _ogg_json_logged(image) }}) > 0, {{ _ogg_json_logged(image) }}, null)
{%- endmacro %}

{#
    The columns of an image that were logged. Kafka Connect's handler writes all columns, each with a
    field that says whether it is missing in the log. A table's own columns of such names stay, unless
    they are at least a third of all.
#}
{% macro _ogg_json_logged(image) -%}
if(
                has_flags,
                get(transform(array({{ image }}), row -> if(
                    size(filter(map_keys(row), name -> {{ _ogg_json_is_flag() }} and row[name] in ('true', 'false'))) * 3 >= size(row),
                    map_filter(row, (name, value) -> not ({{ _ogg_json_is_flag() }})
                        and row[concat(name, '_isMissing')] is distinct from 'true'),
                    row
                )), 0),
                {{ image }}
            )
{%- endmacro %}

{% macro _ogg_json_is_flag() -%}
endswith(name, '_isMissing') and map_contains_key(row, left(name, length(name) - 10))
{%- endmacro %}

{# An instant: a text, or microseconds since 1970, which the formatter can write too. #}
{% macro _ogg_json_instant(text) -%}
coalesce(
                {{ decode_timestamp(cut_to_micros(text), 'text', 'time_zone') }},
                timestamp_micros(
                    case when try_cast({{ text }} as bigint) between -62135596800000000 and 253402300799999999 then try_cast({{ text }} as bigint) end
                )
            )
{%- endmacro %}
