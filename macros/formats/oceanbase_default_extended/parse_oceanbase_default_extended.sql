{% macro parse_oceanbase_default_extended(messages, operations) %}
{{ oceanbase_struct_events(messages, operations, 'oceanbase_default_extended', has_types=true) }}
{% endmacro %}
