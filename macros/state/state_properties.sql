{#
    What a state table keeps of how it was built, as properties of the table, `changelake.<name>`.

    Arguments:
        table (dictionary): the model's meta.

    Returns: a dictionary with
        events (string): the identity of the table of events, which changes when that is built anew
        declaration (string): state_declaration() as JSON
#}
{% macro state_properties(table) -%}
{%- set events = run_query('describe detail ' ~ events_model().relation_name).columns['id'][0] -%}
{{ return({'events': events, 'declaration': tojson(state_declaration(table))}) }}
{%- endmacro %}
