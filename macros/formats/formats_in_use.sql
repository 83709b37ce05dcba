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
