{#
    The key's columns that CloudCanal's `tableChanges` of a statement names.

    Arguments:
        table_changes (string): an expression of type string, the field's JSON; it may be broken.

    Returns: an expression of type array<string>; null where it names none.
#}
{% macro key_of_table_changes(table_changes) -%}
try_variant_get(try_parse_json({{ table_changes }}), '$.table.primaryKeyColumnNames', 'array<string>')
{%- endmacro %}
