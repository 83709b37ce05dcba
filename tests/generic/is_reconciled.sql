{#
    The newest comparison of a current table with its source, see scripts/reconcile.py, found them equal,
    compared each declared column that is not masked and of a type that can be compared, and is no older than
    some days. What was undecided counts as no comparison.

    It has the tag `alert`, which runs leave out: it says nothing of what they build.

    Arguments:
        model (relation): the tested current table.
        days (number): how old the comparison may be.
        ignore (list of string): columns that need not be at the source.
#}
{% test is_reconciled(model, days=7, ignore=[]) %}
{{ config(tags=['alert']) }}
{%- set results = source('monitoring', 'reconciliations') -%}
{%- set is_there = execute and adapter.check_schema_exists(none, results.schema)
    and results.identifier in run_query('show tables in ' ~ results.schema).columns['tableName'].values() -%}
with newest as (
    {% if is_there -%}
    select max_by(struct(at, differing_rows, not_compared), at) as found
    from {{ results }}
    where
        relation = {{ sql_string(model.identifier) }}
        and (undecided_rows = 0 or differing_rows > 0)
    {%- else -%}
    select cast(null as struct<at: timestamp, differing_rows: bigint, not_compared: map<string, string>>) as found
    {%- endif %}
)

select
    found.at,
    found.differing_rows,
    found.not_compared
from newest
where
    found is null
    or found.differing_rows > 0
    or exists(
        map_entries(found.not_compared),
        one -> one.value in ('not at the source', 'not built yet')
            {%- for name in ignore %} and one.key != {{ sql_string(name) }}{% endfor %}
    )
    or found.at < current_timestamp() - {{ days }} * interval '1' day
{% endtest %}
