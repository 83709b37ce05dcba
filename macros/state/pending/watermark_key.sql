{#
    The name of the property that holds a table's watermark: no table's own name, which Spark could take for
    that of a secret, and not show.

    Arguments:
        name (string): that of the table of the schema `state`.
#}
{% macro watermark_key(name) -%}
{{ return('changelake.' ~ local_md5(name)) }}
{%- endmacro %}
