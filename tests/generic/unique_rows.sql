{#
    No two rows have the same values in these columns, among the rows of the last two landed days:
    what is older was compared on its day.

    Arguments:
        model (relation): the tested model.
        columns (list of string): the columns that tell rows apart.
#}
{% test unique_rows(model, columns) %}
select
    {{ columns | join(', ') }},
    count(*) as copies
from {{ model }}
where landed_at >= (select max(last_landed_at) - interval 2 days from {{ ref('message_counts_by_day') }})
group by {{ columns | join(', ') }}
having count(*) > 1
{% endtest %}
