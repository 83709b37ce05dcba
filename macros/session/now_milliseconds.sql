{% macro now_milliseconds() -%}
{{ return((modules.datetime.datetime.now(modules.pytz.utc).timestamp() * 1000) | int) }}
{%- endmacro %}
