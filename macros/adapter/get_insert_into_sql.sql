{#
    One statement, so one commit, and the new rows are computed once; a merge would compute them
    twice.

    Delta refuses to insert rows that do not meet the condition: the batch's number makes it true for
    the new rows. Rows are replaced only if this run saw them, so it never removes what another run
    has written since.
#}
{% macro get_insert_into_sql(source_relation, target_relation) -%}
{%- set replaced = config.get('meta', {}).get('replaces') -%}
insert into table {{ target_relation }}
{%- if not replaced %} by name
select *
{%- else %}
{%- set range = run_notes().ranges[model.unique_id] %}
replace where ({{ replaced }} and parse_batch <= {{ range.last_batch }}) or parse_batch = {{ range.batch }}
select {{ adapter.get_columns_in_relation(target_relation) | map(attribute='quoted') | join(', ') }}
{%- endif %}
from {{ source_relation }}
{%- endmacro %}
