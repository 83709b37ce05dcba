{#
    Whether a change, or a row of the state, lies before the point at which its table was truncated.

    Arguments:
        prefix (string): what stands before the columns' names, for example `old._`.
        truncations (list of dictionaries): the positions of truncates and drops, see pending_changes(), at
            most one per shard.
        shard (string): an expression of type string: the shard of the change or row.
#}
{% macro is_before_truncation(prefix, truncations, shard) -%}
{%- for truncation in truncations -%}
{{ '(' ~ shard ~ ' = ' ~ sql_string(truncation.shard) ~ ' and ' if truncation.shard }}{{ is_before_point(prefix, truncation_literals(truncation)) }}{{ ')' if truncation.shard }}{{ ' or ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}
