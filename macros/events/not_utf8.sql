{% macro not_utf8(texts) -%}
{{ return((
    'not_utf8', "'a name or a text is not UTF-8'",
    "not is_valid_utf8(concat_ws(' ', " ~ texts | join(', ') ~ "))",
)) }}
{%- endmacro %}
