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
            if(size(document.`before`) > 0, document.`before`, null) as row_before,
            if(size(document.`after`) > 0, document.`after`, null) as row_after,
            if(
                coalesce(document.`before`, document.`after`) is null,
                map_filter(get(flat_rows, place), (name, value) -> name not in (
                    'table', 'op_type', 'op_ts', 'current_ts', 'pos', 'primary_keys', 'tokens', 'before', 'after'
                )),
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

{# An instant: a text, or microseconds since 1970, which the formatter can write too. #}
{% macro _ogg_json_instant(text) -%}
coalesce(
                {{ decode_timestamp(cut_to_micros(text), 'text', 'time_zone') }},
                timestamp_micros(
                    case when try_cast({{ text }} as bigint) between -62135596800000000 and 253402300799999999 then try_cast({{ text }} as bigint) end
                )
            )
{%- endmacro %}
