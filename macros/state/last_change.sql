{#
    The last complete change of a key: a delete, or an image that holds the whole row.

    Arguments:
        news (dictionary): see state_news().
        table (dictionary): the model's meta.
#}
{% macro last_change(news, table) -%}
{%- set complete = ' filter (where not (is_image and is_partial))' if news.partial_rows else '' -%}
{%- set change = change_struct(news, table) -%}
{%- if news.partitions > 1 -%}
if(
            min(struct(kafka_topic, kafka_partition)) = max(struct(kafka_topic, kafka_partition)),
            max_by({{ change }}, {{ offset_order() }}){{ complete }},
            max_by({{ change }}, {{ position_order('', is_image='is_image') }}){{ complete }}
        )
{%- else -%}
max_by({{ change }}, {{ offset_order() }}){{ complete }}
{%- endif -%}
{%- endmacro %}
