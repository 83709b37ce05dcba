{% macro avro_reject_reasons() -%}
{%- set unknown_charset = 'coalesce(after_unknown_charset, before_unknown_charset)' -%}
{%- set images = [
    'map_keys(before_image)', 'map_keys(after_image)', 'map_values(before_image)', 'map_values(after_image)',
] -%}
{{ return([
    ('missing_field', "'afterImages holds no statement'", "event_type = 'schema' and statement is null"),
    ('wrong_type', "'the images do not have as many values as fields has columns'",
        "event_type = 'row' and (before_is_uneven or after_is_uneven)"),
    ('missing_field', "'beforeImages holds no columns'",
        "operation = 'delete' and " ~ has_no_columns('before_image')),
    ('missing_field', "'afterImages holds no columns'",
        "operation in ('snapshot', 'insert', 'update') and " ~ has_no_columns('after_image')),
    ('unknown_charset', "concat('a text is not in its character set, ', coalesce(nullif(" ~ unknown_charset ~ ", ''), 'which has no name'))",
        "event_type = 'row' and " ~ unknown_charset ~ " is not null"),
    not_utf8(['statement'] + images),
]) }}
{%- endmacro %}
