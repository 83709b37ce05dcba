{# Why a document is a reject, see first_reject(). #}
{% macro _ogg_json_reject() -%}
{{ first_reject([
            ('malformed_json', "'the message holds no document, or one that is null'", "document is null"),
            ('missing_field', "'op_type is missing'", "document.code is null and not document.is_schema"),
            non_scalar_names(['document.full_name']),
            ('unknown_operation', "concat('op_type is ', document.code)", "document.meaning is null and not document.is_schema"),
            ('missing_field', "'table is missing'",
                "document.meaning is not null and " ~ non_blank("substring_index(document.full_name, '.', -1)") ~ " is null"),
            ('missing_field', "'before holds no columns'",
                "document.meaning.operation = 'delete'
                and " ~ has_no_columns('coalesce(document.row_before, document.row_columns)')),
            ('missing_field', "'after holds no columns'",
                "document.meaning.operation in ('insert', 'update')
                and " ~ has_no_columns('coalesce(document.row_after, document.row_columns)')),
            ('unknown_shape', "'the columns have the names of their images before them: format.flatten is on'",
                "size(document.row_columns) > 0
                and forall(map_keys(document.row_columns), name -> name rlike '^(?:before|after|tokens)[.]')"),
            ('wrong_type', "concat('op_ts is ', document.op_ts)",
                non_blank('document.op_ts') ~ " is not null and document.committed_at is null"),
            ('wrong_type', "concat('current_ts is ', document.current_ts)",
                non_blank('document.current_ts') ~ " is not null and document.captured_at is null"),
        ]) }}
{%- endmacro %}
