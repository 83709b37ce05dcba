{% macro bits_text(text, encoding) -%}
{#- PostgreSQL's maximum; a larger number in a message cannot be a length -#}
{%- set length = encoding.split('(')[1].rstrip(')') | int if '(' in encoding else 0 -%}
{%- set length = length if 0 < length <= 83886080 else 1 -%}
{%- set digits = "ltrim('0', array_join(reverse(" ~ byte_bits("try_to_binary(" ~ text ~ ", 'base64')") ~ "), ''))" -%}
if(
    startswith({{ text }}, "B'"),
    substr({{ text }}, 3, length({{ text }}) - 3),
    get(transform(array({{ digits }}), bits -> lpad(bits, greatest({{ length }}, length(bits)), '0')), 0)
)
{%- endmacro %}
