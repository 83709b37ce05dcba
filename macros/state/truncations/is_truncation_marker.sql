{# The keys of rows begin with a digit, a letter or `~`: see truncation_key(). #}
{% macro is_truncation_marker(prefix='') -%}
{{ prefix }}_key < '0'
{%- endmacro %}
