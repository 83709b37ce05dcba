{% macro of_each_format() -%}
{%- do ref('feeds') -%}
{%- for format in formats_in_use() -%}
{{ caller(format) }}
{%- if not loop.last %}
union all
{% endif -%}
{%- endfor -%}
{%- endmacro %}
