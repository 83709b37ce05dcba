{#
    The columns are a key: together unique, and none of them null.

    A current table that a run has merged is checked for nulls only, see is_merged(): comparing all keys in
    each run would cost more than the run. When it is rebuilt, and with `dbt test`, they are compared.

    Arguments:
        model (relation): the tested model.
        columns (list of string): the key's columns; by default those of the table that a current or
            history model declares. dbt renders what a yml says, so that no name of a source's may
            stand there.
#}
{% test is_key(model, columns=none) %}
{%- set names = sql_names(columns if columns is not none else tested_key()) -%}
{%- set is_known_unique = columns is none and is_merged() -%}
{% if names %}
select
    {{ names | join(', ') }},
    {{ '1' if is_known_unique else 'count(*)' }} as rows_of_key
from {{ model }}
{% if is_known_unique -%}
where {{ names | join(' is null or ') }} is null
{%- else -%}
group by {{ names | join(', ') }}
having count(*) > 1 or {{ names | join(' is null or ') }} is null
{%- endif %}
{% else %}
select 1 as no_key where false
{% endif %}
{% endtest %}
