{% macro mongo_reject_reasons(unread, without_id) -%}
{{ return([
    ('malformed_document', "'" ~ unread ~ "'", "event_type = 'row' and not is_document"),
    ('unknown_operation', "concat('the update has ', array_join(unknown_operators, ', '))",
        "size(unknown_operators) > 0"),
    ('missing_field', "'" ~ without_id ~ "'", "event_type = 'row' and not "
        ~ "coalesce(map_contains_key(coalesce(images_after, images_before), '_id'), false)"),
]) }}
{%- endmacro %}
