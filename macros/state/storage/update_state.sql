{#
    Brings a table of the schema `state` up to date, after the columns that its model has come to
    declare.

    Arguments:
        state (relation): the table.
        table (dictionary): the model's meta.
        pending (dictionary): see pending_batch().
        merge (string): the statement; none if nothing came.
#}
{% macro update_state(state, table, pending, merge) -%}
{%- do add_missing_columns(state, table, pending) -%}
{%- if merge -%}
{%- call statement('main') -%}
{{ merge }}
{%- endcall -%}
{%- else -%}
{%- call noop_statement('main', 'nothing new') -%}{%- endcall -%}
{%- endif -%}
{%- endmacro %}
