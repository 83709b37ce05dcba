{% macro parser_reads_zones() -%}
{#- judged by its text: every model of events depends on the seed, to know whether its format has a feed -#}
{{ return("ref('feeds')" in events_model().raw_code) }}
{%- endmacro %}
