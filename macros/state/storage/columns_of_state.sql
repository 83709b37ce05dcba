{#
    Not adapter.get_columns_in_relation(), which takes a column named `#…` for the end of the list.
#}
{% macro columns_of_state(state) -%}
{%- set names = [] -%}
{#- headings, which have no type, follow the columns -#}
{%- for row in run_query('describe table ' ~ state).rows if row[1] -%}
{%- do names.append(row[0]) -%}
{%- endfor -%}
{{ return(names) }}
{%- endmacro %}
