{% macro update_state(state, table, pending, merge) -%}
{%- do add_missing_columns(state, table, pending) -%}
{%- if merge -%}
{%- call statement('main') -%}
{{ merge }}
{%- endcall -%}
{%- else -%}
{%- call noop_statement('main', 'nothing new') -%}{%- endcall -%}
{%- endif -%}
{%- endmacro %}
