{#
    The columns are a key: together unique, and none of them null.

    Arguments:
        model (relation): the tested model.
        columns (list of string): the key's columns; by default those of the table that a current or
            history model declares. dbt renders what a yml says, so that no name of a source's may
            stand there.
#}
{% test is_key(model, columns=none) %}
{%- set names = sql_names(columns if columns is not none else tested_key()) -%}
{% if names %}
select
    {{ names | join(', ') }},
    count(*) as rows_of_key
from {{ model }}
group by {{ names | join(', ') }}
having count(*) > 1 or {{ names | join(' is null or ') }} is null
{% else %}
select 1 as no_key where false
{% endif %}
{% endtest %}
