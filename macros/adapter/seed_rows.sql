{#
    The rows of a seed without those that are comments: lines of the CSV file that begin with `#`.

    Arguments:
        agate_table (any): the rows of the CSV file.

    Returns: a list of rows.
#}
{% macro seed_rows(agate_table) -%}
{%- set rows = [] -%}
{%- for row in agate_table.rows if not (row[0] | string).startswith('#') -%}
{%- do rows.append(row) -%}
{%- endfor -%}
{{ return(rows) }}
{%- endmacro %}
