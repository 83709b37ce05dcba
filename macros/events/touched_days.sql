{#
    The days on which the messages of new batches landed, as literals: Spark then lists the partitions
    of these days, and plans no join for them.

    Arguments:
        pending (dictionary): format → the last batch that is not new, see pending_formats().

    Returns: a dictionary: format → a list of literals, empty where nothing is new.
#}
{% macro touched_days(pending) -%}
{%- set selects = [] -%}
{%- set days = {} -%}
{%- for format, since in pending.items() -%}
{%- do selects.append("select distinct '" ~ format ~ "', landed_date from " ~ ref(format ~ '_events') ~ ' where parse_batch > ' ~ since) -%}
{%- do days.update({format: []}) -%}
{%- endfor -%}
{%- if execute -%}
{%- for format, day in run_query(selects | join(' union all ') ~ ' order by all').rows -%}
{%- do days[format].append("date'" ~ day ~ "'") -%}
{%- endfor -%}
{%- endif -%}
{{ return(days) }}
{%- endmacro %}
