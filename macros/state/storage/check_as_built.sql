{#
    Only a person can ask for a rebuild; without one, rows of two declarations would be mixed. The
    history of a table is declared with it: where both states are out of date, one command rebuilds
    both, and before them the events if their parser reads that part too.
#}
{% macro check_as_built(table, pending, present) -%}
{%- set declared = fromjson(pending.properties.declaration) -%}
{%- set found = _first_difference(table, declared, pending.built, present, pending.since) -%}
{%- if found -%}
{%- set stale = [] -%}
{%- for name, state in _states_of_table().items()
    if name == model.name or (state_exists(state) and _first_difference(table, declared, built_properties(table_properties(state)), columns_of_state(state), pending.since)) -%}
{%- do stale.append(name) -%}
{%- endfor -%}
{%- do exceptions.raise_compiler_error(
    found.part ~ " of " ~ this ~ " was built as " ~ found.built ~ " and is declared as " ~ found.declared ~ ": rebuild the "
    ~ ('tables' if stale | length > 1 else 'table') ~ " with dbt build --target " ~ target.name ~ " --full-refresh --select "
    ~ (found.other_readers + stale) | join(' ')
) -%}
{%- endif -%}
{%- endmacro %}

{# What a state was built with and is now declared differently; none if rows can be merged into it. #}
{% macro _first_difference(table, declared, properties, present, since) -%}
{%- set built = fromjson(properties.get('declaration', ''), declared) -%}
{%- set parts = [('the source', built.source, declared.source), ('the key', built.key, declared.key)] -%}
{%- set others = declared.feeds | reject('in', built.feeds) | list + built.feeds | reject('in', declared.feeds) | list -%}
{%- if others and _has_seen(table, others, since) -%}
{%- do parts.append(('the list of feeds', built.feeds | join(', '), declared.feeds | join(', '))) -%}
{%- endif -%}
{%- for feed, zone in declared.zones.items() -%}
{#- a table from an earlier version of the project does not tell its zones -#}
{%- do parts.append(('the time zone for feed ' ~ feed, built.get('zones', {}).get(feed, zone), zone)) -%}
{%- endfor -%}
{%- set present_by_lower = dict(zip(present | map('lower') | list, present)) -%}
{%- for name, meaning in declared.columns.items() if name | lower in present_by_lower -%}
{%- do parts.append(('the name of a column', present_by_lower[name | lower], name)) -%}
{%- do parts.append(('column ' ~ name, built.columns.get(name, 'a column that the model lacked later'), meaning)) -%}
{#- an added name only affects new events; a table from an earlier version of the project does not tell its names -#}
{%- set sources = built.get('sources', {}).get(name, []) -%}
{%- if sources | reject('in', declared.sources[name]) | list -%}
{%- do parts.append(("'source' of column " ~ name, sources | join(', '), declared.sources[name] | join(', '))) -%}
{%- endif -%}
{%- endfor -%}
{%- for part, was, now in parts if was != now -%}
{{ return({
    'part': part, 'built': was, 'declared': now,
    'other_readers': [events_model().name] if part.startswith('the time zone') and parser_reads_zones() else [],
}) }}
{%- endfor -%}
{{ return(none) }}
{%- endmacro %}

{# Whether the batches that the table has seen had events of these feeds. #}
{% macro _has_seen(table, feeds, since) -%}
{%- set events = events_of_table('select * from ' ~ events_model().relation_name, dict(table, feeds=feeds)) -%}
{{ return(run_query('select 1 from (' ~ events ~ ') where parse_batch <= ' ~ since ~ ' limit 1').rows | length > 0) }}
{%- endmacro %}

{# The states that share this model's declaration, by model: the current table's, then its histories'. #}
{% macro _states_of_table() -%}
{%- set current = model.config.meta.current if model.config.materialized == 'history_table' else model.name -%}
{%- set states = {} -%}
{%- for node in graph.nodes.values() if node.resource_type == 'model' and node.config.materialized == 'current_table' and node.name == current -%}
{%- do states.update({node.name: state_table(api.Relation.create(identifier=node.alias))}) -%}
{%- endfor -%}
{%- for node in graph.nodes.values() if node.resource_type == 'model' and node.config.materialized == 'history_table' and node.config.meta.current == current -%}
{%- do states.update({node.name: state_table(api.Relation.create(identifier=node.alias), '__history')}) -%}
{%- endfor -%}
{{ return(states) }}
{%- endmacro %}
