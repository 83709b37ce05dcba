{#
    An image holds a column under one of its names: the newest, if an old one is now the name of
    another column. Hashes are salted, or anyone could try out values.
#}
{% macro image_text(image, column) -%}
{%- set texts = [] -%}
{%- for source in column.sources -%}
{%- set name = sql_string(source) -%}
{%- do texts.append('when map_contains_key(' ~ image ~ ', ' ~ name ~ ') then ' ~ image ~ '[' ~ name ~ ']') -%}
{%- endfor -%}
{%- set text = image ~ '[' ~ sql_string(column.sources[0]) ~ ']' if texts | length == 1 else 'case ' ~ texts | join(' ') ~ ' end' -%}
{%- if column.mask == 'hash' -%}
sha2(concat({{ mask_salt() }}, {{ text }}), 256)
{%- elif column.mask == 'null' -%}
cast(null as string)
{%- else -%}
{{ text }}
{%- endif -%}
{%- endmacro %}
