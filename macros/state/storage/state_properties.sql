{% macro state_properties(table) -%}
{%- set events = events_model().relation_name -%}
{#- the same for all tables of a format, and built before them -#}
{%- if events not in run_notes().identities -%}
{%- do run_notes().identities.update({
    events: table_properties(events).get('changelake_built_at') or run_query('describe detail ' ~ events).columns['id'][0]
}) -%}
{%- endif -%}
{{ return({'events': run_notes().identities[events], 'declaration': tojson(state_declaration(table)), 'version': '6'}) }}
{%- endmacro %}
