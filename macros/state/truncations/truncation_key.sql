{#
    The keys of rows begin with a digit, a letter or `~`, see key_text(), so that Delta's statistics
    find this one in at most one file.
#}
{% macro truncation_key(truncation) -%}
{{ sql_string('!' ~ truncation.shard if truncation.shard else '') }}
{%- endmacro %}
