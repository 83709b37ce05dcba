{#
    With these counts, the statement contains only the steps that it needs: most runs see complete
    images in one partition, and no truncation.

    The last batch of events that a state table has seen is in its rows: the merge that applies a
    batch writes it in the same commit. Any query of Delta takes some tenths of a second, so the
    state is queried once, and the events once for a current table and its history. What else has
    to be known about earlier batches is in properties of the state, see state_properties().
#}
{% macro pending_batch(events, table, state) -%}
{%- set properties = state_properties(table) -%}
{%- set exists = state and state_exists(state) -%}
{#- the rows are read before the properties, which another run writes before it merges: so they are never older than the rows -#}
{%- set last, rows = run_query('select max(_batch), count(*) from ' ~ state).rows[0].values() if exists else (none, 0) -%}
{%- set shown = table_properties(state) if exists else {} -%}
{%- set built = built_properties(shown) -%}
{%- set is_there = exists and built.get('events', properties.events) == properties.events -%}
{%- if is_there and is_building() and built.get('version') != properties.version -%}
{%- do built.update(upgrade_state(state)) -%}
{%- endif -%}
{%- set since = last or 0 if is_there else 0 -%}
{%- set parsed_events = '(' ~ events_of_table(events, table) ~ ') where ' -%}
{%- set place = 'struct(kafka_topic, kafka_partition)' -%}
{%- set pending = _answer("
    select
        to_json(min(" ~ place ~ ")) as first_place,
        to_json(max(" ~ place ~ ")) as last_place,
        " ~ (_distinct_types() if _tells_encodings(table) else "'[]'") ~ " as column_types,
        count_if(" ~ lacks_columns(table) ~ ") as partial_rows,
        count(source_position) as positions,
        count_if(" ~ truncates_table() ~ ") as truncations,
        max(parse_batch) as batch
    from " ~ parsed_events ~ 'parse_batch > ' ~ since
) -%}
{%- set new_batches = 'parse_batch > ' ~ since ~ ' and parse_batch <= ' ~ (pending.batch or since) -%}
{%- set built = built if is_there else {} -%}
{%- do properties.update(seen_properties(built, {'was_truncated': pending.truncations > 0, 'is_large': is_there and rows >= 50000})) -%}
{{ return({
    'state': state if is_there else none,
    'properties': properties,
    'built': built,
    'compacted_at': shown.get('changelake_compacted_at', ''),
    'since': since,
    'batch': pending.batch,
    'new_batches': new_batches,
    'new_events': parsed_events ~ new_batches,
    'column_types': fromjson(pending.column_types, []),
    'first_place': pending.first_place,
    'last_place': pending.last_place,
    'is_spread': pending.first_place != pending.last_place,
    'partial_rows': pending.partial_rows or 0,
    'positions': pending.positions or 0,
    'has_truncations': pending.truncations > 0,
}) }}
{%- endmacro %}

{# The result row of a query on the events, cached: they do not change while their tables are built. #}
{% macro _answer(question) -%}
{%- set answers = run_notes().answers -%}
{%- if question not in answers -%}
{%- do answers.update({question: run_query(question).rows[0]}) -%}
{%- endif -%}
{{ return(answers[question]) }}
{%- endmacro %}

{# Types come from messages, so Spark parses them: it reads anything but an object as null. #}
{% macro _distinct_types() -%}
to_json(transform(collect_set(column_types), text -> struct(text, from_json(text, 'map<string, string>') as types)))
{%- endmacro %}

{# Whether the types in events tell how their values are encoded. #}
{% macro _tells_encodings(table) -%}
{%- set found = [] -%}
{%- for column in declared_columns(table) if column.encoding.split('(')[0] in ('enum', 'set') -%}
{%- do found.append(column) -%}
{%- endfor -%}
{{ return(found or format_traits().encodings) }}
{%- endmacro %}
