{% macro not_an_epoch(text) -%}
{{ non_blank(text) }} is not null and {{ epoch_timestamp(text) }} is null
{%- endmacro %}
