{#
    The text of a row's key: of each column its length and its typed value's text, so that two
    spellings of a value are one key, `~` for null, and no two keys are alike. A value that its type
    cannot hold stands with its own text; one whose case the source ignores, in lower case. Of many
    columns, as of a table without a key, it is the hash.

    Arguments:
        key (list of dictionaries): the key's columns, see declared_column().
        image (string): an expression of type map<string, string>.
        time_zone (string): as for decode().
#}
{% macro key_text(key, image, time_zone) -%}
{{ 'sha2(' if key | length > 8 }}concat(
    {%- for column in key -%}
    {%- set text = image_text(image, column) -%}
    {%- set value = decode(text, column, time_zone) -%}
    {%- set value = value_text(value, column) -%}
    {%- set value = 'lower(' ~ value ~ ')' if column.ignore_case else value if value == text else 'coalesce(' ~ value ~ ', ' ~ text ~ ')' %}
    coalesce(concat(length({{ value }}), ':', {{ value }}), '~'){{ '' if loop.last else ',' }}
    {%- endfor %}
){{ ', 256)' if key | length > 8 }}
{%- endmacro %}
