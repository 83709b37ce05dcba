{#
    How far the tables of the schema `state` have come: the newest batch of events that a run has seen
    when it last built each of them, whether any of it was for that table or not. They are properties of
    the schema, so that one question reads all of them, without a job of Spark's. They only save work:
    where one is lost or old, the table and its events are asked.

    Returns: a dictionary: watermark_key() of a state table → a dictionary with
        events (string): the model of its events; batch (integer)
        built (string): checksum of what it was built from, see has_pending_batch()
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
