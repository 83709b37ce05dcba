{% macro time_zone_of(feed) -%}
{{ return((listed_feeds() or {}).get(feed, {}).get('time_zone') or 'UTC') }}
{%- endmacro %}
