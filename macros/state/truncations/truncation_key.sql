{#
    By Delta's statistics it is found in at most one file: the keys of rows begin with a digit, a
    letter or `~`, see key_text().
#}
{% macro truncation_key(truncation) -%}
{{ sql_string('!' ~ truncation.shard if truncation.shard else '') }}
{%- endmacro %}
