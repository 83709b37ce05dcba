{#
    What came for a current table since its last run, and where it was last emptied.

    Arguments:
        events (string): a select of the events, the model's SQL.
        table (dictionary): the model's meta.
        state (relation): the state table; none: it is built anew.

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
            max_by(" ~ emptying_struct() ~ ", struct(" ~ changed_at() ~ ", kafka_offset))
        )),
        true
    from " ~ news.new_events ~ " and " ~ empties_table() ~ "
    group by shard"
).rows) -%}
{%- endif -%}
{%- for row in found -%}
{%- set one = fromjson(row[0]) -%}
{%- set known = emptyings.get(one.shard) -%}
{#- one that comes late empties nothing that has come since -#}
{%- if not known or not _is_before(one, known) -%}
{%- do emptyings.update({one.shard: dict(one, is_new=row[1])}) -%}
{%- endif -%}
{%- endfor -%}
{%- do news.update({
    'emptyings': emptyings.values() | list,
    'is_emptied_now': emptyings.values() | selectattr('is_new') | list | length > 0,
}) -%}
{#- of the rows that are counted together nobody knows any more which came before it -#}
{%- if news.state and news.is_emptied_now and not table.key and run_query(
    'select 1 from ' ~ state ~ ' where _row_count != 0 and not (' ~ is_before_emptied('_', news.emptyings, sql_name(table.shard or '')) ~ ') limit 1'
).rows -%}
{{ return(state_news(events, table, none)) }}
{%- endif -%}
{{ return(news) }}
{%- endmacro %}

{# Whether an emptying lies before another one of the table. #}
{% macro _is_before(one, other) -%}
{%- if (one.kafka_topic, one.kafka_partition) == (other.kafka_topic, other.kafka_partition) -%}
{{ return(one.kafka_offset < other.kafka_offset) }}
{%- endif -%}
{{ return(one.changed_at < other.changed_at) }}
{%- endmacro %}
