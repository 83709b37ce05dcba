{#
    When an event changed its row: when the source says so, else when it was captured, else Kafka's
    time, which a message can lack, else when it landed.

    Arguments:
        prefix (string): what stands before the name where it is a column already, for example `old._`;
            of an event: empty.
#}
{% macro changed_at(prefix='') -%}
{{ prefix ~ 'changed_at' if prefix else 'coalesce(committed_at, captured_at, kafka_timestamp, landed_at)' }}
{%- endmacro %}
