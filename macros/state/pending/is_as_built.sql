{% macro is_as_built(state, built) -%}
{%- set watermark = watermarks().get(watermark_key(state.identifier)) -%}
{{ return(watermark and watermark.built == built and load_cached_relation(this) and state_exists(state)) }}
{%- endmacro %}
