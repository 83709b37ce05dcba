{# Whether dbt's command builds models, rather than only compiling them. #}
{% macro is_building() -%}
{{ return(flags.WHICH in ('run', 'build', 'retry')) }}
{%- endmacro %}
