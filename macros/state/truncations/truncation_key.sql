{#
    The key of the row of a state that remembers where a table was truncated. No row has it, and by
    Delta's statistics it is found in one file at most: the keys of rows begin with a digit, a
    letter or `~`, see key_text().

    Arguments:
        truncation (dictionary): see pending_changes().
#}
{% macro truncation_key(truncation) -%}
{{ sql_string('!' ~ truncation.shard if truncation.shard else '') }}
{%- endmacro %}
