{#
    dbt-spark's append, in which a model may say by its meta which of its rows give way to those that
    the run brings (`replaces`, a condition): halves of pairs that were read again. One statement, so
    one commit, and what is new is computed once; a merge would do that twice.

    Delta refuses to insert rows that the condition does not hold for: the batch's number makes it
    hold for the new ones, and for no others. Rows give way only if the run saw them, lest it take away
    what another run has written since; both numbers stand in the model's statement, see
    unread_messages().

    Arguments:
        source_relation (relation): the new rows.
        target_relation (relation): the table.
#}
{% macro get_insert_into_sql(source_relation, target_relation) -%}
{%- set replaced = config.get('meta', {}).get('replaces') -%}
insert into table {{ target_relation }}
{%- if not replaced %} by name
select *
{%- else %}
{%- set seen = modules.re.search('parse_batch > ([0-9]+)', model.compiled_code)[1] -%}
{%- set batch = modules.re.search('([0-9]+) as parse_batch', model.compiled_code)[1] %}
replace where ({{ replaced }} and parse_batch <= {{ seen }}) or parse_batch = {{ batch }}
select {{ adapter.get_columns_in_relation(target_relation) | map(attribute='quoted') | join(', ') }}
{%- endif %}
from {{ source_relation }}
{%- endmacro %}
