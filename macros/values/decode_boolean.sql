{% macro decode_boolean(text, encoding) -%}
{%- if encoding == 'exact' -%}
case {{ text }} when 'true' then true when 'false' then false end
{%- else -%}
try_cast({{ text }} as boolean)
{%- endif -%}
{%- endmacro %}
