{% macro is_building() -%}
{{ return(flags.WHICH in ('run', 'build', 'retry')) }}
{%- endmacro %}
