{#
    Bytes as Base64 in one line: Spark's base64() breaks lines at 76 characters, depending on a
    setting.

    Arguments:
        bytes (string): an expression of type binary.
#}
{% macro base64_text(bytes) -%}
translate(base64({{ bytes }}), '\r\n', '')
{%- endmacro %}
