{#
    They are properties of the schema, so that one query, without a Spark job, reads all of them.
    They only save work: if one is lost or outdated, the table and its events are queried.
#}
{% macro watermarks() -%}
{%- if 'watermarks' not in run_notes() -%}
{%- set found = {} -%}
{%- if adapter.check_schema_exists(none, state_schema()) -%}
{%- set properties = run_query('describe schema extended ' ~ state_schema()).rows | selectattr(0, 'equalto', 'Properties') | map(attribute=1) | join -%}
{%- for key, events, batch, built in modules.re.findall('[(](changelake[.][0-9a-f]{32}),([a-z0-9_]+) ([0-9]+) ([0-9a-f]{32})[)]', properties) -%}
{%- do found.update({key: {'events': events, 'batch': batch | int, 'built': built}}) -%}
{%- endfor -%}
{%- endif -%}
{%- do run_notes().setdefault('watermarks', found) -%}
{%- endif -%}
{{ return(run_notes().watermarks) }}
{%- endmacro %}
