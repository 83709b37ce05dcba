{#
    A column's text in an image: under its present name or one that it had before, and masked if the
    model says so. An image holds a column under one name: the newest, where an old one has become that of
    another column.

    A hash is SHA-256 in hexadecimal of the text behind the salt, see mask_salt(): without one anyone
    can try out values.

    Arguments:
        image (string): an expression of type map<string, string>.
        column (dictionary): a declared column, see declared_column().

    Returns: an expression of type string.
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
