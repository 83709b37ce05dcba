{# Hashed, since Spark hides the value of a property whose name looks like a secret's. #}
{% macro watermark_key(name) -%}
{{ return('changelake.' ~ local_md5(name)) }}
{%- endmacro %}
