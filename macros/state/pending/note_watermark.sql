{#
    Notes that the model's table has seen all events there are, for write_watermarks().

    Arguments:
        state (relation): the table of the schema `state`.
        built (string): see built_checksum().
#}
{% macro note_watermark(state, built) -%}
{%- set key = watermark_key(state.identifier) -%}
{%- set new = {'events': events_model().name, 'batch': pending_events().newest, 'built': built} -%}
{#- with --empty and --sample a model sees no events, or some of them -#}
{%- if watermarks().get(key) != new and not invocation_args_dict.get('empty') and not invocation_args_dict.get('sample') -%}
{%- do run_notes().new_watermarks.update({key: {'text': new.values() | join(' '), 'model': model.unique_id}}) -%}
{%- endif -%}
{%- endmacro %}
