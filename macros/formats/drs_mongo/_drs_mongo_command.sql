{#
    The name of a command, the first key of its document, and what it is on, that key's value.

    Arguments:
        text (string): an expression of type string.
#}
{% macro _drs_mongo_command(text) -%}
regexp_extract({{ text }}, r'^\s*\{\s*["\x27]?([A-Za-z]+)', 1)
{%- endmacro %}

{% macro _drs_mongo_command_on(text) -%}
regexp_extract({{ text }}, r'^\s*\{\s*["\x27]?[A-Za-z]+["\x27]?\s*:\s*["\x27]([^"\x27]*)', 1)
{%- endmacro %}

{#
    The code of an operation: a command that DRS is known to send is one of its own. `doc` tells a full
    load from an insert, and a document's deletion from that of a view.
#}
{% macro _drs_mongo_code() -%}
{%- set commands = [
    'create', 'drop', 'renameCollection', 'collMod', 'createIndexes', 'dropIndexes', 'deleteIndexes',
] -%}
case
            when command in ('{{ commands | join("', '") }}') then command
            when upper(op) in ('INSERT', 'DELETE') and lower(recordType) in ('doc', 'view')
                then concat(upper(op), ' ', lower(recordType))
            else upper(op)
        end
{%- endmacro %}
