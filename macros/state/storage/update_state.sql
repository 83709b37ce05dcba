{% macro update_state(plan, merge) -%}
{%- set state, pending = plan.state, plan.pending -%}
{%- set missing = [] -%}
{%- if not plan.is_as_built -%}
{%- set present = columns_of_state(state) -%}
{%- do check_as_built(plan.table, pending, present) -%}
{%- set missing = missing_columns(plan.table, present) -%}
{%- endif -%}
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
