{% macro events_model() -%}
{%- for id in model.depends_on.nodes if id.endswith('_events') -%}
{{ return(graph.nodes[id]) }}
{%- endfor -%}
{{ exceptions.raise_compiler_error(model.name ~ " selects from no <format>_events model: write it as scripts/onboard.py does") }}
{%- endmacro %}
