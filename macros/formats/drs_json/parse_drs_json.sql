{% macro parse_drs_json(messages, operations) %}
{{ drs_events(messages, operations, 'drs_json', deleted_rows='old') }}
{% endmacro %}
