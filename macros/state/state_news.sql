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
{%- set emptyings = [] -%}
{%- if news.was_emptied or news.is_emptied_now -%}
{%- for text, is_new in run_query(_last_emptyings(emptyings_of(news))).rows -%}
{%- do emptyings.append(dict(fromjson(text), is_new=is_new)) -%}
{%- endfor -%}
{%- endif -%}
{%- do news.update({
    'emptyings': emptyings,
    'is_emptied_now': emptyings | selectattr('is_new') | list | length > 0,
}) -%}
{#- of the rows that are counted together nobody knows any more which came before it -#}
{%- if news.state and news.is_emptied_now and not table.key and run_query(
    'select 1 from ' ~ state ~ ' where _row_count != 0 and not (' ~ is_before_emptied('_', news.emptyings, sql_name(table.shard or '')) ~ ') limit 1'
).rows -%}
{{ return(state_news(events, table, none)) }}
{%- endif -%}
{{ return(news) }}
{%- endmacro %}

{#
    The last emptying of each shard. Within a partition the offset decides, across partitions the
    moment: one that comes late empties nothing that has come since.
#}
{% macro _last_emptyings(emptyings) -%}
select
    to_json(last.emptying),
    last.is_new
from (
    select if(
        count(distinct place) = 1,
        max_by(struct(emptying, is_new), struct(kafka_offset, is_new)),
        max_by(struct(emptying, is_new), struct(moment, kafka_offset, is_new))
    ) as last
    from (
{{ emptyings }}
    )
    group by emptying.shard
)
{%- endmacro %}
