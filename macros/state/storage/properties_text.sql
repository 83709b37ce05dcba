{#
    Values are hexadecimal: Spark hides values that look like a secret or a URL, as a column's name
    can.

    A large table has deletion vectors: a MERGE then writes which rows of a file are gone, instead of
    rewriting the others. In a small table that costs more than it saves.
#}
{% macro properties_text(properties) -%}
{%- for name, value in properties.items() -%}
'changelake.{{ name }}' = '{{ value.encode().hex() }}'{{ ', ' if not loop.last }}
{%- endfor -%}
{%- if properties.is_large -%}
, 'delta.enableDeletionVectors' = 'true'
{%- endif -%}
{%- endmacro %}
