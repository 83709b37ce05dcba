{% macro not_an_epoch(field, text=field) -%}
{{ return([
    'wrong_type',
    "concat('" ~ field ~ " is ', " ~ text ~ ")",
    non_blank(text) ~ ' is not null and ' ~ epoch_timestamp(text) ~ ' is null',
]) }}
{%- endmacro %}
