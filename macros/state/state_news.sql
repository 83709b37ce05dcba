{#
    What came for a current table since its last run, and where it was last emptied.

    Arguments:
        events (string): a select of the events, the model's SQL.
        table (dictionary): the model's meta.
        state (relation): the state table.

    Returns: the dictionary of batch_news(), and in it
        emptyings (list of dictionaries): of the table, or of each shard, where the last truncate or
            drop stands (see emptying_struct()), and is_new
#}
{% macro state_news(events, table, state) -%}
{%- set news = batch_news(events, table, state) -%}
{%- set emptyings = {} -%}
{%- set found = [] -%}
{%- if news.state -%}
{%- do found.extend(run_query('select to_json(' ~ emptying_struct('_') ~ '), false from ' ~ state ~ ' where ' ~ is_emptying()).rows) -%}
{%- endif -%}
{%- if news.is_emptied_now -%}
{#- Within a partition the offset decides, across partitions there is only the time -#}
{%- do found.extend(run_query("
    select
        to_json(if(
            count(distinct kafka_topic, kafka_partition) = 1,
            max_by(" ~ emptying_struct() ~ ", kafka_offset),
            max_by(" ~ emptying_struct() ~ ", struct(committed_at, kafka_offset))
        )),
        true
    from " ~ news.new_events ~ " and " ~ empties_table() ~ "
    group by shard"
).rows) -%}
{%- endif -%}
{%- for row in found -%}
{%- set one = fromjson(row[0]) -%}
{%- do emptyings.update({one.shard: dict(one, is_new=row[1])}) -%}
{%- endfor -%}
{%- do news.update({'emptyings': emptyings.values() | list}) -%}
{{ return(news) }}
{%- endmacro %}
