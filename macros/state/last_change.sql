{#
    The last complete change of a key: a delete, or an image that holds the whole row. By offset:
    where a key's events stand in several partitions, it is that of one partition.

    Arguments:
        news (dictionary): see state_news().
        table (dictionary): the model's meta.
#}
{% macro last_change(news, table) -%}
{%- set complete = ' filter (where not (is_image and is_partial))' if news.partial_rows and table.key else '' -%}
max_by({{ change_struct(news, table) }}, {{ offset_order() }}){{ complete }}
{%- endmacro %}
