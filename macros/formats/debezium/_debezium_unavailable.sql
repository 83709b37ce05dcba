{#
    The columns of `image` whose value Debezium did not get from PostgreSQL or Oracle (an unchanged
    TOAST value), by the spelling that the placeholder has in each type; null where there is none.
#}
{% macro _debezium_unavailable() -%}
{%- set text = '__debezium_unavailable_value' -%}
{%- set base64 = 'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==' -%}
{%- set numbers = '95,95,100,101,98,101,122,105,117,109,95,117,110,97,118,97,105,108,97,98,108,101,95,118,97,108,117,101' -%}
{%- set uuid = 'b68a35a7-17ad-35b3-af2a-ae46edb4545a' -%}
{%- set placeholders = [
    text, '["' ~ text ~ '"]', '{"' ~ text ~ '":"' ~ text ~ '"}', base64, '["' ~ base64 ~ '"]',
    '5f5f646562657a69756d5f756e617661696c61626c655f76616c7565', '[' ~ numbers ~ ']', uuid, '["' ~ uuid ~ '"]',
] -%}
{#- Most messages hold none: these comparisons are compiled, the lambda is not. -#}
case
                when array_contains(map_values(image), '{{ placeholders | join("') or array_contains(map_values(image), '") }}')
                    then map_keys(map_filter(image, (name, value) -> value in ('{{ placeholders | join("', '") }}')))
            end
{%- endmacro %}
