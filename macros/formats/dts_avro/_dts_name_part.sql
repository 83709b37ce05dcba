{# A part of the object's name, where a dot is written as \u002E. #}
{% macro _dts_name_part(number) -%}
nullif(regexp_replace(get(name_parts, {{ number }}), r'(?i)\\u002E', '.'), '')
{%- endmacro %}
