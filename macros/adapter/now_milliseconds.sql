{# The time of the machine that dbt runs on, in milliseconds of the epoch. #}
{% macro now_milliseconds() -%}
{{ return((modules.datetime.datetime.now(modules.pytz.utc).timestamp() * 1000) | int) }}
{%- endmacro %}
