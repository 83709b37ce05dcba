{# Spark's base64() breaks lines at 76 characters, depending on a setting. #}
{% macro base64_text(bytes) -%}
translate(base64({{ bytes }}), '\r\n', '')
{%- endmacro %}
