{% macro seen_properties(built, now) -%}
{%- set seen = {} -%}
{%- for name, is_so in now.items() if is_so or built.get(name) -%}
{%- do seen.update({name: 'true'}) -%}
{%- endfor -%}
{{ return(seen) }}
{%- endmacro %}
