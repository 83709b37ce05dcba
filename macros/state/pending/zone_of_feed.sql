{% macro zone_of_feed(feeds, feed) -%}
{%- set zones = {} -%}
{%- for name in feeds -%}
{%- do zones.setdefault(time_zone_of(name), []).append(name) -%}
{%- endfor -%}
{%- if zones | length <= 1 -%}
{{ sql_string((zones.keys() | list + ['UTC']) | first) }}
{%- else -%}
case
    {%- for zone, its in zones.items() %}
    when {{ feed }} in ({{ sql_strings(its) | join(', ') }}) then {{ sql_string(zone) }}
    {%- endfor %}
end
{%- endif -%}
{%- endmacro %}
