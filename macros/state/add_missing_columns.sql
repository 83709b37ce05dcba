{#
    Adds to a state table the columns that its model has come to declare since it was built. Older
    rows hold null there until they change, or until the table is rebuilt with --full-refresh. A
    column that the model declares with another type than before needs that rebuild.

    Arguments:
        state (relation): the state table.
        table (dictionary): the model's meta.
#}
{% macro add_missing_columns(state, table) -%}
{%- set present = {} -%}
{#- not adapter.get_columns_in_relation(), which takes a column named `#…` for the end of the list -#}
{%- for row in run_query('describe table ' ~ state).rows if row[1] -%}
{%- do present.update({row[0] if row[0] is not none else 'null': row[1]}) -%}
{%- endfor -%}
{%- set missing = [] -%}
{%- for name, declaration in table.columns.items() -%}
{%- set type = declared_column(name, declaration).type -%}
{%- if name not in present -%}
{%- do missing.append(sql_name(name) ~ ' ' ~ type) -%}
{%- elif present[name] | replace(' ', '') != type | replace(' ', '') -%}
{%- do exceptions.raise_compiler_error(
    "column " ~ name ~ " of " ~ this ~ " was built as " ~ present[name] ~ " and is declared as " ~ type
    ~ ": rebuild the table with dbt build --target " ~ target.name ~ " --full-refresh --select " ~ model.name
) -%}
{%- endif -%}
{%- endfor -%}
{%- if missing -%}
{%- do run_query('alter table ' ~ state ~ ' add columns (' ~ missing | join(', ') ~ ')') -%}
{%- endif -%}
{%- endmacro %}
