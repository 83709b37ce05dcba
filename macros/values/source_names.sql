{% macro source_names(name, declaration) -%}
{%- set source = name if declaration is string else declaration.get('source', name) -%}
{{ return([source] if source is string else source) }}
{%- endmacro %}
