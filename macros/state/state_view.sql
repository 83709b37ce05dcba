{#
    Creates the view of a table of the schema `state`, where it is not there as it has to be.

    Arguments:
        state (relation): the table.
        table (dictionary): the model's meta.
        shown (list of string): expressions of what the view has besides the declared columns,
            _undecodable and where the change stands.
        condition (string): which rows it has.
#}
{% macro state_view(state, table, shown, condition) -%}
{%- set definition -%}
select
    {{ (sql_names(table.columns) + ['_undecodable'] + shown + ['_committed_at', '_feed', '_kafka_topic', '_kafka_partition', '_kafka_offset']
        + ([] if table.key else ['_row_count'])) | join(',\n    ') }}
from {{ state }}
where {{ condition }}
{%- endset -%}
{#- a view keeps the types of what it reads -#}
{%- set checksum = local_md5(tojson([definition, declared_columns(table)])) -%}
{%- if not load_cached_relation(this) or table_properties(this).get('changelake_definition') != checksum -%}
{%- call statement('view') -%}
create or replace view {{ this }}
tblproperties ('changelake_definition' = '{{ checksum }}')
as
{{ definition }}
{%- endcall -%}
{%- endif -%}
{%- endmacro %}
