{#
    What a state table keeps of how it was built, as properties of the table, `changelake.<name>`.

    Arguments:
        table (dictionary): the model's meta.

    Returns: a dictionary with
        events (string): what changes when the table of events is built anew: when it was, or its
            identity for Delta, which costs a reading of its log, where compact() has not noted that
        declaration (string): state_declaration() as JSON
        version (string): of the columns that a state has besides the declared ones, and of these
            properties, see upgrade_state()

    pending_batch() and pending_versions() add what batches have brought so far, so that a later run need
    not ask the table's rows. Each but `place` is absent until it holds, and 'true' from then on:
        was_truncated: the source table was truncated
        is_large: it had so many rows that deletion vectors pay
        has_partial, has_positions, was_spread: of a history, partial images, source positions, and
            changes from a partition other than `place`, the first: a topic and a partition as JSON
#}
{% macro state_properties(table) -%}
{%- set events = events_model().relation_name -%}
{#- of all tables of a format the same, and built before them -#}
{%- if events not in run_notes().identities -%}
{%- do run_notes().identities.update({
    events: table_properties(events).get('changelake_built_at') or run_query('describe detail ' ~ events).columns['id'][0]
}) -%}
{%- endif -%}
{{ return({'events': run_notes().identities[events], 'declaration': tojson(state_declaration(table)), 'version': '3'}) }}
{%- endmacro %}
