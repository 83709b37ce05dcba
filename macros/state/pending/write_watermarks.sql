{% macro write_watermarks(results) -%}
{%- if execute -%}
{%- set failed = [] -%}
{%- for one in results if one.node.resource_type == 'test' and one.status in ('fail', 'error') -%}
{%- do failed.extend(one.node.depends_on.nodes) -%}
{%- endfor -%}
{%- set new = {} -%}
{%- for key, one in run_notes().new_watermarks.items() if one.model not in failed -%}
{%- do new.update({key: one.text}) -%}
{%- endfor -%}
{#- Spark 4.1 encodes a schema's location twice there, and fails if that changes it -#}
{%- if new and modules.re.fullmatch('[\\w/.:+,=@~-]*', lake_location()) -%}
alter schema {{ state_schema() }} set dbproperties (
    {%- for key, value in new.items() %}
    '{{ key }}' = '{{ value }}'{{ ',' if not loop.last }}
    {%- endfor %}
)
{%- endif -%}
{%- endif -%}
{%- endmacro %}
