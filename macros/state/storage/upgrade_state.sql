{#
    Gives a state table that an earlier version built the columns that it did not have. Its rows hold
    null in them until they change.

    Arguments:
        state (relation): the state table.
#}
{% macro upgrade_state(state) -%}
{%- set present = run_query('describe table ' ~ state).columns[0].values() -%}
{%- set missing = [] -%}
{%- for name, type in {'_captured_at': 'timestamp', '_message_number': 'bigint'}.items() if name not in present -%}
{%- do missing.append(name ~ ' ' ~ type) -%}
{%- endfor -%}
{%- if missing -%}
{%- do run_query('alter table ' ~ state ~ ' add columns (' ~ missing | join(', ') ~ ')') -%}
{%- endif -%}
{%- endmacro %}
