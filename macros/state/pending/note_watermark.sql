{% macro note_watermark(plan) -%}
{%- set key = watermark_key(plan.state.identifier) -%}
{%- set new = {'events': events_model().name, 'batch': plan.newest, 'built': plan.built} -%}
{#- with --empty and --sample, a model sees no events or only some -#}
{%- if watermarks().get(key) != new and not invocation_args_dict.get('empty') and not invocation_args_dict.get('sample') -%}
{%- do run_notes().new_watermarks.update({key: {'text': new.values() | join(' '), 'model': model.unique_id}}) -%}
{%- endif -%}
{%- endmacro %}
