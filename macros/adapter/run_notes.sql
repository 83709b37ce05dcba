{#
    What the models of one run know of each other, kept in dbt's graph, which is one dictionary for all of
    them: so a thing is asked of Spark once per run and not once per model.

    Returns: a dictionary with
        idle (list of string): the ids of the models for which nothing came, see
            materialization_incremental_spark
        feeds (dictionary): see listed_feeds(), and formats (list of string): see formats_in_use(), from
            when they were first asked; the runs that follow with one manifest keep them, unless they load
            the seed
        parsed (dictionary): format → the last batch that its events will have, see unread_messages()
        answers (dictionary): what the events answered to pending_batch(), by question
        identities (dictionary): what tells a table of events from one built anew, see state_properties(), by its name
        states (list of string): the tables of the schema `state` as the run found them, see state_exists()
        pending (dictionary): see pending_events(), by model of events
        plans (dictionary): see table_plan(), by the id of the model
        merged (list of string): the ids of the models that is_merged() holds for
        reread (list of string): the ids of the models of events that read messages once more, see unread_messages()
        made (list of string): the ids of the incremental models whose table this run makes, see compact()
        watermarks (dictionary): see watermarks(), from when they were first asked
        new_watermarks (dictionary): see note_watermark()
        bronze (list of string): bronze's tables, see has_bronze_table(), from when they were first asked
#}
{% macro run_notes() -%}
{#- a process can hold several runs with one graph -#}
{%- set runs = graph.setdefault('changelake', {}) -%}
{%- if invocation_id not in runs -%}
{%- set notes = {'idle': [], 'parsed': {}, 'reread': [], 'answers': {}, 'pending': {}, 'plans': {}, 'identities': {}, 'merged': [], 'made': [], 'new_watermarks': {}} -%}
{%- for last in runs.values() | list if last.feeds and seed_node('feeds').unique_id not in selected_resources -%}
{%- for name in ('feeds', 'formats') if name in last -%}
{%- do notes.update({name: last[name]}) -%}
{%- endfor -%}
{%- endfor -%}
{#- two of dbt's threads can be here at once: the notes of the first one count -#}
{%- do runs.setdefault(invocation_id, notes) -%}
{%- for run in runs | list if run != invocation_id -%}
{%- do runs.pop(run, none) -%}
{%- endfor -%}
{%- endif -%}
{{ return(runs[invocation_id]) }}
{%- endmacro %}
