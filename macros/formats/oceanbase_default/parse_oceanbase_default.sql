{% macro parse_oceanbase_default(messages, operations) %}
{{ oceanbase_struct_events(messages, operations, 'oceanbase_default') }}
{% endmacro %}
