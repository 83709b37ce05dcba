{% macro documents_as_texts(json, mark) -%}
replace(replace(replace({{ json }}, concat('\\"', {{ mark }}), ''), concat({{ mark }}, '\\"'), ''), {{ mark }}, '')
{%- endmacro %}
