{# Commit times are often whole seconds; the other two order what happened within one. #}
{% macro moment(prefix='') -%}
struct({{ changed_at(prefix) }} as changed_at, {{ prefix }}captured_at as captured_at, {{ prefix }}message_number as message_number)
{%- endmacro %}
