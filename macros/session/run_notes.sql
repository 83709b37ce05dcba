{# Kept in dbt's graph, a dictionary that all models share. #}
{% macro run_notes() -%}
{#- one process can do several runs with one graph -#}
{%- set runs = graph.setdefault('changelake', {}) -%}
{%- if invocation_id not in runs -%}
{%- set notes = {
    'idle': [], 'parsed': {}, 'reread': [], 'ranges': {}, 'answers': {}, 'pending': {}, 'plans': {}, 'identities': {},
    'sent_as': {}, 'merged': [], 'made': [], 'new_watermarks': {},
} -%}
{%- for last in runs.values() | list if last.feeds and seed_node('feeds').unique_id not in selected_resources -%}
{%- for name in ('feeds', 'formats') if name in last -%}
{%- do notes.update({name: last[name]}) -%}
{%- endfor -%}
{%- endfor -%}
{#- two of dbt's threads can be here at once: the first one's notes are kept -#}
{%- do runs.setdefault(invocation_id, notes) -%}
{%- for run in runs | list if run != invocation_id -%}
{%- do runs.pop(run, none) -%}
{%- endfor -%}
{%- endif -%}
{{ return(runs[invocation_id]) }}
{%- endmacro %}
