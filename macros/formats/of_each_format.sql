{#
    One select for each format in use, united.

    Called with what the select is made of: `{% call(format) of_each_format() %} select … {% endcall %}`. What calls it
    depends on the seed `feeds`, in which the formats in use stand.

    Returns: the selects, with `union all` between them.
#}
{% macro of_each_format() -%}
{%- do ref('feeds') -%}
{%- for format in formats_in_use() -%}
{{ caller(format) }}
{%- if not loop.last %}
union all
{% endif -%}
{%- endfor -%}
{%- endmacro %}
