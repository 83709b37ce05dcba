{#
    The columns are a key: together unique, and none of them null.

    Arguments:
        model (relation): the tested model.
        columns (list of string): the key's columns.
#}
{% test is_key(model, columns) %}
select
    {% for column in columns %}{{ sql_name(column) }}, {% endfor %}
    count(*) as rows_of_key
from {{ model }}
group by {% for column in columns %}{{ sql_name(column) }}{{ '' if loop.last else ', ' }}{% endfor %}
having count(*) > 1 or {% for column in columns %}{{ sql_name(column) }} is null{{ '' if loop.last else ' or ' }}{% endfor %}
{% endtest %}
