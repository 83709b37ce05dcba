{#
    Parts of a key may be null here (a table without a schema), and with `=` every run would insert
    such a row again.
#}
{% macro spark__get_merge_sql(target, source, unique_key, dest_columns, incremental_predicates) -%}
merge into {{ target }} as old
using {{ source }} as new
on {% for column in ([unique_key] if unique_key is string else unique_key) -%}
    old.{{ column }} <=> new.{{ column }}{{ '' if loop.last else ' and ' }}
{%- endfor %}
{%- for predicate in incremental_predicates or [] %}
    and {{ predicate }}
{%- endfor %}
when matched then update set *
when not matched then insert *
{%- endmacro %}
