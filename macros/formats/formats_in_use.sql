{#
    The formats that a run looks at: those that a feed has, and those whose events are there from when
    one had. The others cost a run nothing: they have no bronze table, their events are a view without
    rows, and what unites the formats does not name them.

    Who calls it outside a model of events depends on the seed `feeds`, and so on these.

    Returns: a list of format ids, in the order of formats(); all of them while dbt parses, and where no
    feeds have been seeded. It has one at least, since a statement has to read something.
#}
{% macro formats_in_use() -%}
{%- if not execute -%}
{{ return(formats()) }}
{%- endif -%}
{%- if 'formats' not in run_notes() -%}
{%- set feeds = listed_feeds() -%}
{%- set fed = feeds.values() | map(attribute='format') | list if feeds is not none else formats() -%}
{%- set in_use = [] -%}
{%- for format in formats() -%}
{%- if format in fed or events_relation(format) -%}
{%- do in_use.append(format) -%}
{%- endif -%}
{%- endfor -%}
{%- do run_notes().update({'formats': in_use or formats()[:1]}) -%}
{%- endif -%}
{{ return(run_notes().formats) }}
{%- endmacro %}
