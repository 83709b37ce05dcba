{#
    The condition that a message landed on the last two landed days of its feed that were parsed, or
    later; one of a feed that has not been parsed at all did. A day that has not come yet, of a clock
    that was ahead, counts as today.

    Arguments:
        events (relation): the table of events, as it is before this run.
#}
{% macro recently_landed(events) -%}
{%- set feeds = run_query('select feed, date_sub(least(max(landed_date), current_date()), 1) from ' ~ events ~ ' group by feed order by feed').rows -%}
{%- if not feeds -%}
true
{%- else -%}
case feed
    {%- for feed in feeds %}
    when {{ sql_string(feed[0]) }} then landed_date >= date'{{ feed[1] }}'
    {%- endfor %}
    else true
end
{%- endif -%}
{%- endmacro %}
