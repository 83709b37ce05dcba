{#
    The condition that keeps the events of one source table.

    Arguments:
        table (dictionary): a model's meta: feeds, table, and database and schema where it has them.
#}
{% macro events_of_table(table) -%}
feed in ({% for feed in table.feeds %}{{ sql_string(feed) }}{% if not loop.last %}, {% endif %}{% endfor %})
    and database_name <=> {{ sql_string(table.get('database')) }}
    and schema_name <=> {{ sql_string(table.get('schema')) }}
    and table_name <=> {{ sql_string(table.table) }}
{%- endmacro %}
