{# Longer than `yyyy-MM-dd HH:mm:ss.ffffff`: others need no regular expression. #}
{% macro cut_to_micros(text) -%}
if(length({{ text }}) > 26, regexp_replace({{ text }}, r'(\.[0-9]{6})[0-9]++', '$1'), {{ text }})
{%- endmacro %}
