{# Given literals, Spark lists only these partitions and plans no join for them. #}
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
