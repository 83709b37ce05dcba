{# The spellings that the placeholder of a value which Debezium did not get has in each type. #}
{% macro _debezium_placeholders() -%}
{%- set text = '__debezium_unavailable_value' -%}
{%- set base64 = 'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==' -%}
{%- set numbers = '95,95,100,101,98,101,122,105,117,109,95,117,110,97,118,97,105,108,97,98,108,101,95,118,97,108,117,101' -%}
{%- set uuid = 'b68a35a7-17ad-35b3-af2a-ae46edb4545a' -%}
{{ return([
    text, '["' ~ text ~ '"]', '{"' ~ text ~ '":"' ~ text ~ '"}', base64, '["' ~ base64 ~ '"]',
    '5f5f646562657a69756d5f756e617661696c61626c655f76616c7565', '[' ~ numbers ~ ']', uuid, '["' ~ uuid ~ '"]',
]) }}
{%- endmacro %}

{# The condition that a row lacks a value, as PostgreSQL's and Oracle's unchanged large ones. #}
{% macro _debezium_holds_unavailable(image) -%}
arrays_overlap(map_values({{ image }}), array('{{ _debezium_placeholders() | join("', '") }}'))
{%- endmacro %}

{# The columns of a row that Debezium knew, without the metadata of a flattened one. #}
{% macro _debezium_known_columns(image) -%}
map_filter({{ image }}, (name, value) -> not (
                    (lacks_values and coalesce(value in ('{{ _debezium_placeholders() | join("', '") }}'), false))
                    or (shape = 'flattened' and startswith(name, '__') and name rlike '^__(source_.*|transaction_.*|{{ _debezium_metadata() }})$')
                ))
{%- endmacro %}

{# The condition that a row has no columns, or, flattened, only metadata. #}
{% macro _debezium_is_empty(image) -%}
(
                    coalesce(size({{ image }}), 0) < 1
                    or (shape = 'flattened' and not array_join(map_keys({{ image }}), ',') rlike '(?:^|,)(?!__)')
                )
{%- endmacro %}
