{% macro key_differs(key) -%}
{%- for column in key -%}
{#- compared unmasked: hashing would only cost time -#}
{%- set plain = dict(column, mask=none) -%}
{%- set texts = [image_text('before', plain), image_text('after', plain)] -%}
{%- set texts = ['lower(' ~ texts[0] ~ ')', 'lower(' ~ texts[1] ~ ')'] if column.ignore_case else texts -%}
(not {{ texts | join(' <=> ') }}
{%- for image in ('before', 'after') %} and ({{ image_holds(image, column) }}){% endfor %}){{ '' if loop.last else ' or ' }}
{%- endfor -%}
{%- endmacro %}
