{#
    Values are in hexadecimal: Spark hides those that look like a secret or a URL, and a
    column's name can look like one.

    A large table has deletion vectors: a MERGE then writes which rows of a file are gone, and does
    not rewrite the others. In a small one that costs more than it saves.
#}
{% macro properties_text(properties) -%}
{%- for name, value in properties.items() -%}
'changelake.{{ name }}' = '{{ value.encode().hex() }}'{{ ', ' if not loop.last }}
{%- endfor -%}
{%- if properties.is_large -%}
, 'delta.enableDeletionVectors' = 'true'
{%- endif -%}
{%- endmacro %}
