{#
    The select of the view of a table of the schema `state`.

    Arguments:
        state (relation): the table.
        table (dictionary): the model's meta.
        shown (list of string): expressions of what the view has besides the declared columns,
            _undecodable and where the change stands.
        condition (string): which rows it has.
#}
{% macro state_view_definition(state, table, shown, condition) -%}
select
    {{ (sql_names(table.columns) + ['_undecodable'] + shown + ['_committed_at', '_feed', '_kafka_topic', '_kafka_partition', '_kafka_offset']
        + ([] if table.key else ['_row_count'])) | join(',\n    ') }}
from {{ state }}
where {{ condition }}
{%- endmacro %}
