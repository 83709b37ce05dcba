{% macro decode_integer(text, type, encoding) -%}
{%- if encoding == 'exact' -%}
case when {{ text }} rlike r'^(?:0|-?[1-9][0-9]*)\z' then try_cast({{ text }} as {{ type }}) end
{%- else -%}
coalesce(try_cast({{ text }} as {{ type }}), cast(case {{ text }} when 'true' then 1 when 'false' then 0 end as {{ type }}))
{%- endif -%}
{%- endmacro %}
