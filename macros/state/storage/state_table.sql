{#
    The relation of the table in the schema `state` behind a current table (every key ever seen, with
    deleted ones as tombstones) or behind a history table (its versions).

    Arguments:
        relation (relation): the current table, or the history table.
        suffix (string): what is put behind the name: a history table's versions end in `__history`.
#}
{% macro state_table(relation, suffix='') -%}
{{ return(api.Relation.create(schema=state_schema(), identifier=relation.identifier ~ suffix, type='table')) }}
{%- endmacro %}
