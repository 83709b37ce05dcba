{# A plain cast would round `1.5`. #}
{% macro whole_number(text) -%}
case when {{ text }} rlike r'^\s*+[+-]?+[0-9]++\s*+\z' then try_cast({{ text }} as decimal(20, 0)) end
{%- endmacro %}
