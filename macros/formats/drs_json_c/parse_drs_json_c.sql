{% macro parse_drs_json_c(messages, operations) %}
{{ drs_events(messages, operations, 'drs_json_c', deleted_rows='data') }}
{% endmacro %}
