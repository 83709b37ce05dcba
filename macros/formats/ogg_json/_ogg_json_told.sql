{# What a document tells, as a struct. Without images it is a row: its columns are all but the formatter's own fields. #}
{% macro _ogg_json_told() -%}
{%- set columns -%}
map_filter(get(flat_rows, place), (name, value) -> name not in (
                'table', 'op_type', 'op_ts', 'current_ts', 'pos', 'primary_keys', 'tokens', 'before', 'after'
            ))
{%- endset -%}
{%- set is_row = 'coalesce(document.`before`, document.`after`) is null' -%}
struct(
            document.`table` as full_name,
            upper(document.op_type) as code,
            meanings[upper(document.op_type)] as meaning,
            {{ _ogg_json_image('document.`before`') }} as row_before,
            {{ _ogg_json_image('document.`after`') }} as row_after,
            if({{ is_row }}, {{ _ogg_json_image(columns) }}, null) as row_columns,
            document.primary_keys,
            document.op_ts,
            {{ _ogg_json_instant('document.op_ts') }} as committed_at,
            document.current_ts,
            {{ _ogg_json_instant('document.current_ts') }} as captured_at,
            document.pos,
            if({{ is_row }}, null, document.xid) as xid,
            document.`$schema` is not null and document.op_type is null as is_schema
        )
{%- endmacro %}

{# An image; `{}` is none. #}
{% macro _ogg_json_image(image) -%}
if(size({{ image }}) > 0, {{ image }}, null)
{%- endmacro %}

{# An instant, as text or as `${timestampmicro}` writes it. #}
{% macro _ogg_json_instant(text) -%}
coalesce(
                {{ decode_timestamp(text, 'text', 'time_zone') }},
                {{ epoch_instant(text, 'epoch_micros') }}
            )
{%- endmacro %}
