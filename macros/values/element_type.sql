{% macro element_type(type) -%}
{{ return(type[6:-1] | trim if type.startswith('array<') and type.endswith('>') else none) }}
{%- endmacro %}
