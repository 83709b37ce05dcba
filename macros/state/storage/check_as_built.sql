{#
    Only a person can ask for a rebuild; without one, rows of two declarations would be mixed.
#}
{% macro check_as_built(table, pending, present) -%}
{%- set declared = fromjson(pending.properties.declaration) -%}
{%- set built = fromjson(pending.built.get('declaration', ''), declared) -%}
{%- do _check_part('the source', built.source, declared.source) -%}
{%- do _check_part('the key', built.key, declared.key) -%}
{%- set others = declared.feeds | reject('in', built.feeds) | list + built.feeds | reject('in', declared.feeds) | list -%}
{%- if others and _has_seen(table, others, pending.since) -%}
{%- do _check_part('the list of feeds', built.feeds | join(', '), declared.feeds | join(', ')) -%}
{%- endif -%}
{%- for feed, zone in declared.zones.items() -%}
{#- a table from an earlier version of the project does not tell its zones -#}
{%- do _check_part('the time zone for feed ' ~ feed, built.get('zones', {}).get(feed, zone), zone, [events_model().name] if parser_reads_zones() else []) -%}
{%- endfor -%}
{%- set present_by_lower = dict(zip(present | map('lower') | list, present)) -%}
{%- for name, meaning in declared.columns.items() if name | lower in present_by_lower -%}
{%- do _check_part('the name of a column', present_by_lower[name | lower], name) -%}
{%- do _check_part('column ' ~ name, built.columns.get(name, 'a column that the model lacked later'), meaning) -%}
{#- an added name only affects new events; a table from an earlier version of the project does not tell its names -#}
{%- set sources = built.get('sources', {}).get(name, []) -%}
{%- if sources | reject('in', declared.sources[name]) | list -%}
{%- do _check_part("'source' of column " ~ name, sources | join(', '), declared.sources[name] | join(', ')) -%}
{%- endif -%}
{%- endfor -%}
{%- endmacro %}

{# Whether the batches that the table has seen had events of these feeds. #}
{% macro _has_seen(table, feeds, since) -%}
{%- set events = events_of_table('select * from ' ~ events_model().relation_name, dict(table, feeds=feeds)) -%}
{{ return(run_query('select 1 from (' ~ events ~ ') where parse_batch <= ' ~ since ~ ' limit 1').rows | length > 0) }}
{%- endmacro %}

{#
    Raises an error where a part of the declaration is not the one that the state was built with: the
    table has to be rebuilt, and before it the models that read that part too.
#}
{% macro _check_part(part, built, declared, other_readers=[]) -%}
{%- if built != declared -%}
{%- do exceptions.raise_compiler_error(
    part ~ " of " ~ this ~ " was built as " ~ built ~ " and is declared as " ~ declared ~ ": rebuild the table with dbt build --target "
    ~ target.name ~ " --full-refresh --select " ~ (other_readers + [model.name]) | join(' ')
) -%}
{%- endif -%}
{%- endmacro %}
