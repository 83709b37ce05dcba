{% macro built_properties(found) -%}
{#- an earlier version of the project wrote the values unencoded -#}
{%- set is_plain = found.get('changelake.version', '2') == '2' -%}
{%- set properties = {} -%}
{%- for name, value in found.items() if name.startswith('changelake.') -%}
{%- do properties.update({name.split('.', 1)[1]: value if is_plain else ''.encode().fromhex(value).decode()}) -%}
{%- endfor -%}
{{ return(properties) }}
{%- endmacro %}
