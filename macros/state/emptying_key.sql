{#
    The key of the row of a state that remembers where a table was emptied. No row has it, and by
    Delta's statistics it is found in one file at most: the keys of rows begin with a digit, a
    letter or `~`, see key_text().

    Arguments:
        emptied (dictionary): see state_news().
#}
{% macro emptying_key(emptied) -%}
{{ sql_string('!' ~ emptied.shard if emptied.shard else '') }}
{%- endmacro %}
