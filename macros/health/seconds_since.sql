{% macro seconds_since(moment, now) -%}
(unix_micros({{ now }}) - unix_micros({{ moment }})) / 1e6
{%- endmacro %}
