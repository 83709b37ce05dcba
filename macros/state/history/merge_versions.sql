{#
    If a change is in the table already, everything except its own values is updated, since a late
    earlier change may have affected it.
#}
{% macro merge_versions(state, columns, versions) -%}
{%- set place = ['_kafka_topic', '_kafka_partition', '_kafka_offset', '_row_index', '_row_change'] -%}
{%- set names = ['_key', '_undecodable'] + history_metadata() + sql_names(columns) -%}
{#- a truncation's marker has no row_index; a statement that outlived its client may have written it already -#}
merge into {{ state }} as old
using (
{{ versions }}
) as new
on old._key = new._key
    {%- for name in place %}
    and old.{{ name }} {{ '<=>' if name == '_row_index' else '=' }} new.{{ name }}
    {%- endfor %}
when matched then update set
    {%- for name in names if name not in place + ['_key', '_present', '_batch'] %}
    old.{{ name }} = new.{{ name }}{{ ',' if not loop.last }}
    {%- endfor %}
when not matched then insert (
    {{ names | join(',\n    ') }}
) values (
    {% for name in names %}new.{{ name }}{{ ', ' if not loop.last }}{% endfor %}
)
{%- endmacro %}
