{#
    What came for a history table since its last run, and every point at which the source table was
    emptied: each ends the versions before it.

    Arguments:
        events (string): a select of the events, the model's SQL.
        table (dictionary): the meta of the current model.
        state (relation): the table of versions.

    Returns: the dictionary of batch_news(), and in it
        emptyings (list of dictionaries): where truncates and drops stand (see emptying_struct()), in
            order, with is_new, and number: how often the table, or that shard of it, had been
            emptied before
        has_partial, has_positions (boolean): the new events or the earlier versions hold partial
            images, and positions
        is_rewrite (boolean): every earlier version is looked at again, since the table was emptied
            at a point that can lie before some of them
#}
{% macro history_news(events, table, state) -%}
{%- set news = batch_news(events, table, state) -%}
{%- set found = [] -%}
{%- if news.state -%}
{%- do found.extend(run_query(
    'select to_json(' ~ emptying_struct('_') ~ '), false from ' ~ state ~ ' where ' ~ is_emptying()
).rows) -%}
{%- endif -%}
{%- if news.is_emptied_now -%}
{%- do found.extend(run_query(
    'select to_json(' ~ emptying_struct() ~ '), true from ' ~ news.new_events ~ ' and ' ~ empties_table()
).rows) -%}
{%- endif -%}
{%- set by_place = {} -%}
{%- for row in found -%}
{%- set one = fromjson(row[0]) -%}
{#- what a producer sends again empties nothing again -#}
{%- set place = (one.shard, one.source_position, one.committed_at) if one.source_position
    else (one.kafka_topic, one.kafka_partition, one.kafka_offset) -%}
{%- do by_place.update({place: by_place.get(place, dict(one, is_new=row[1]))}) -%}
{%- endfor -%}
{%- set partitions = by_place.values() | map(attribute='kafka_partition') | unique | list -%}
{%- set is_rewrite = false -%}
{%- if news.state and news.is_emptied_now -%}
{%- set last = run_query(
    'select count(distinct _kafka_topic, _kafka_partition), max(_kafka_partition), max(_kafka_offset) from ' ~ state
).rows[0] -%}
{%- set offsets = by_place.values() | selectattr('is_new') | map(attribute='kafka_offset') | list -%}
{%- set is_rewrite = offsets | length > 0
    and ((partitions + [last[1]]) | unique | list | length > 1 or last[0] > 1 or offsets | min <= last[2]) -%}
{%- endif -%}
{#- within a partition the offset decides, across partitions there is only the time -#}
{%- set emptyings = [] -%}
{%- set numbers = {} -%}
{%- for one in by_place.values() | sort(attribute='kafka_offset' if partitions | length == 1 else 'changed_at,kafka_offset') -%}
{%- do emptyings.append(dict(one, number=numbers.get(one.shard, 0))) -%}
{%- do numbers.update({one.shard: numbers.get(one.shard, 0) + 1}) -%}
{%- endfor -%}
{%- set holds = {'_present': news.partial_rows > 0, '_last_position': news.positions > 0} -%}
{#- what the new events have needs no looking for in the versions -#}
{%- set sought = [] -%}
{%- for name, is_held in holds.items() if news.state and not is_held -%}
{%- do sought.append('bool_or(' ~ name ~ ' is not null) as ' ~ name) -%}
{%- endfor -%}
{%- if sought -%}
{%- do holds.update(run_query('select ' ~ sought | join(', ') ~ ' from ' ~ state).rows[0].dict()) -%}
{%- endif -%}
{%- do news.update({
    'emptyings': emptyings,
    'has_partial': holds['_present'],
    'has_positions': holds['_last_position'],
    'is_rewrite': is_rewrite,
}) -%}
{{ return(news) }}
{%- endmacro %}
