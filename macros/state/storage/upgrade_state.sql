{% macro upgrade_state(state) -%}
{%- set present = columns_of_state(state) -%}
{%- set is_history = '_present' in present -%}
{%- set missing = [] -%}
{%- set added = {'_captured_at': 'timestamp', '_message_number': 'bigint', '_fragment': fragment_type(), '_is_move': 'boolean'} -%}
{%- if is_history -%}
{%- do added.update({'_patch': 'string', '_leaves_key': 'boolean'}) -%}
{%- endif -%}
{%- for name, type in added.items() if name not in present -%}
{%- do missing.append(name ~ ' ' ~ type) -%}
{%- endfor -%}
{%- if missing -%}
{%- do run_query('alter table ' ~ state ~ ' add columns (' ~ missing | join(', ') ~ ')') -%}
{%- endif -%}
{%- set questions = {'was_truncated': 'bool_or(' ~ is_truncation_marker() ~ ')'} -%}
{%- if is_history -%}
{%- set place = 'struct(_kafka_topic as kafka_topic, _kafka_partition as kafka_partition)' -%}
{%- do questions.update({
    'place': 'to_json(min(' ~ place ~ '))',
    'was_spread': 'min(' ~ place ~ ') != max(' ~ place ~ ')',
    'has_partial': 'bool_or(_present is not null)',
    'has_positions': 'bool_or(_last_position is not null)',
}) -%}
{%- endif -%}
{%- set seen = {} -%}
{%- set answers = run_query('select ' ~ questions.values() | join(', ') ~ ' from ' ~ state).rows[0].values() -%}
{%- for name, answer in zip(questions, answers) if answer -%}
{%- do seen.update({name: answer if name == 'place' else 'true'}) -%}
{%- endfor -%}
{{ return(seen) }}
{%- endmacro %}
