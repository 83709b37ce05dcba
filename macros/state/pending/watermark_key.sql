{# Not the table's own name: Spark could take that for the name of a secret, and hide the value. #}
{% macro watermark_key(name) -%}
{{ return('changelake.' ~ local_md5(name)) }}
{%- endmacro %}
