{#
    The relation of the state table behind a current table: every key ever seen, with deleted ones
    as tombstones, typed, and with the position of the change that made it what it is.

    Arguments:
        current (relation): the current table.
#}
{% macro state_table(current) -%}
{{ return(api.Relation.create(schema='state', identifier=current.identifier, type='table')) }}
{%- endmacro %}
