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
