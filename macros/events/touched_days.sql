{#
    The days on which the messages of a format's new batches landed, as literals: Spark then lists the
    partitions of these days, and plans no join for them.

    Arguments:
        events (relation): a table of events.
        since (integer): the last batch that is not new.

    Returns: what stands between the parentheses of `in`; null where nothing is new.
#}
{% macro touched_days(events, since) -%}
{%- set days = [] -%}
{%- if execute -%}
{%- for row in run_query('select distinct landed_date from ' ~ events ~ ' where parse_batch > ' ~ since ~ ' order by 1').rows -%}
{%- do days.append("date'" ~ row[0] ~ "'") -%}
{%- endfor -%}
{%- endif -%}
{{ days | join(', ') or 'null' }}
{%- endmacro %}
