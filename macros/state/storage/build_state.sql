{% macro build_state(plan, statement) -%}
{%- set pending = plan.pending -%}
{%- if pending is none -%}
{%- call noop_statement('main', 'nothing new') -%}{%- endcall -%}
{%- else -%}
{%- if pending.state -%}
{{ update_state(plan, statement if pending.batch) }}
{%- else -%}
{{ create_state(plan.state, plan.table, pending, statement) }}
{%- endif -%}
{{ state_view(plan.table, plan.view) if not plan.is_as_built }}
{{ compact(plan.state, pending.compacted_at if pending.state else none) if pending.batch }}
{%- endif -%}
{%- do note_watermark(plan) -%}
{%- endmacro %}
