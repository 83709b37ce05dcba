{% macro update_state(plan, merge) -%}
{%- set state, pending = plan.state, plan.pending -%}
{%- set missing = [] if plan.is_as_built else missing_columns(state, plan.table, pending) -%}
{%- if pending.properties.items() | reject('in', pending.built.items()) | list -%}
{#- before the columns: a column without a declaration would be refused -#}
{%- do run_query('alter table ' ~ state ~ ' set tblproperties (' ~ properties_text(pending.properties) ~ ')') -%}
{%- endif -%}
{%- if missing -%}
{%- do run_query('alter table ' ~ state ~ ' add columns (' ~ missing | join(', ') ~ ')') -%}
{%- endif -%}
{%- if merge -%}
{%- call statement('main') -%}
{{ merge }}
{%- endcall -%}
{%- else -%}
{%- call noop_statement('main', 'nothing new') -%}{%- endcall -%}
{%- endif -%}
{%- endmacro %}
