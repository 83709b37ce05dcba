{#
    Whether a change, or a row of the state, lies before the point at which its table was emptied.

    Arguments:
        prefix (string): what stands before the columns' names, for example `old._`.
        emptyings (list of dictionaries): the positions of truncates and drops, see state_news(), at
            most one a shard.
        shard (string): an expression of type string: the shard of the change or row.
#}
{% macro is_before_emptied(prefix, emptyings, shard) -%}
{%- for emptied in emptyings -%}
{{ '(' ~ shard ~ ' = ' ~ sql_string(emptied.shard) ~ ' and ' if emptied.shard }}{{ is_before_point(prefix, emptying_literals(emptied)) }}{{ ')' if emptied.shard }}{{ ' or ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}
