{# How Debezium's placeholder for an unavailable value is written in each type. #}
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

{# Whether a row lacks a value, such as an unchanged large one of PostgreSQL or Oracle. #}
{% macro _debezium_holds_unavailable(image) -%}
arrays_overlap(map_values({{ image }}), array({{ sql_strings(_debezium_placeholders()) | join(', ') }}))
{%- endmacro %}

{#
    The columns of a row that Debezium knew, without the metadata of a flattened one. The row that
    Oracle deleted never has its large values, nor may MySQL's that has a key.
#}
{% macro _debezium_known_columns(image) -%}
map_filter({{ image }}, (name, value) -> not (
                    (
                        (
                            lacks_values or (operation = 'delete' and (
                                {{ _debezium_is_oracle(_debezium_flat('connector')) }} or (key is not null and {{ _debezium_may_lack_blobs() }})
                            ))
                        )
                        and {{ _debezium_is_unavailable() }}
                    )
                    or (
                        value is null and {{ _debezium_is_of_changes() }}
                        and payload.`before`[name] is null and not coalesce(map_contains_key(key_values, name), false)
                    )
                    or (
                        shape = 'flattened' and startswith(name, '__')
                        and name rlike r'^__(source_.*|transaction_.*|{{ _debezium_metadata() }})\z'
                        and not coalesce(map_contains_key(key_values, name), false)
                    )
                ))
{%- endmacro %}

{# For Oracle, MySQL and Spanner, the columns of `before` that Debezium knew; else null. #}
{% macro _debezium_known_before() -%}
case
                when shape = 'change' and {{ _debezium_is_oracle('payload.source.connector') }}
                    then map_filter(payload.before, (name, value) -> not {{ _debezium_is_unavailable() }})
                -- MySQL logs a row without a key whole; of an update only the key is used, and a search costs
                when operation = 'delete' and key is not null and shape = 'change' and {{ _debezium_may_lack_blobs() }}
                    then map_filter(payload.before, (name, value) -> not {{ _debezium_is_unavailable() }})
                when shape = 'change' and (
                    payload.source.value_capture_type in ('NEW_ROW', 'NEW_VALUES')
                    or (operation = 'update' and payload.source.value_capture_type is not null)
                )
                    then map_filter(payload.before, (name, value) -> value is not null or coalesce(map_contains_key(key_values, name), false))
            end
{%- endmacro %}

{#
    Whether a row is an update of a Spanner change stream that has what changed: `before` and `after` have null
    in place of the other columns.
#}
{% macro _debezium_is_of_changes() -%}
coalesce(shape = 'change' and operation = 'update' and payload.source.value_capture_type in ('OLD_AND_NEW_VALUES', 'NEW_VALUES'), false)
{%- endmacro %}

{% macro _debezium_is_oracle(connector) -%}
coalesce(lower({{ connector }}) = 'oracle', false)
{%- endmacro %}

{#
    Whether a row is of MySQL, MariaDB or Vitess and may lack large values whatever happened to it, which
    Debezium reads from 3.6 on: with `binlog_row_image=NOBLOB` the row before never has them, and an insert does
    not where its statement left them out.
#}
{% macro _debezium_may_lack_blobs() -%}
coalesce(
                    if(shape = 'flattened', {{ _debezium_flat('connector') }}, payload.source.connector) in ('mysql', 'mariadb', 'vitess')
                    and (
                        shape = 'flattened'
                        -- 3.10 is later than 3.6
                        or (try_cast(split_part(payload.source.version, '.', 1) as int), try_cast(split_part(payload.source.version, '.', 2) as int)) >= (3, 6)
                    ),
                    false
                )
{%- endmacro %}

{# Whether a value is unavailable, inside a lambda over a row. #}
{% macro _debezium_is_unavailable() -%}
coalesce(value in ({{ sql_strings(_debezium_placeholders()) | join(', ') }}), false)
{%- endmacro %}

{# Whether a row has no columns or, if flattened, only metadata. #}
{% macro _debezium_is_empty(image) -%}
(
                    coalesce(size({{ image }}), 0) < 1
                    or (shape = 'flattened' and not array_join(map_keys({{ image }}), ',') rlike '(?:^|,)(?!__)')
                )
{%- endmacro %}
