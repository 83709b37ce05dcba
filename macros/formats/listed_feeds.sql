{% macro listed_feeds() -%}
{%- if 'feeds' not in run_notes() -%}
{%- set seed = seed_node('feeds') -%}
{%- set relation = adapter.get_relation(seed.database, seed.schema, seed.alias) -%}
{%- set feeds = {} if relation else none -%}
{%- if relation -%}
{%- for feed, format, time_zone in run_query('select feed, format, time_zone from ' ~ relation).rows -%}
{%- do feeds.update({feed: {'format': format, 'time_zone': time_zone}}) -%}
{%- endfor -%}
{%- endif -%}
{%- do run_notes().update({'feeds': feeds}) -%}
{%- endif -%}
{{ return(run_notes().feeds) }}
{%- endmacro %}
