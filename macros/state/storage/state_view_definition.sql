{% macro state_view_definition(state, table, is_history) -%}
select
    {{ (sql_names(table.columns) + ['_undecodable']
        + (['_operation', '_valid_from', '_valid_to', '_valid_to is null as _is_current'] if is_history else [])
        + shown_metadata()
        + ([] if table.key else ['_row_count'])) | join(',\n    ') }}
from {{ state }}
where {{ '_is_boundary and coalesce(_row_count, _row_change) > 0' if is_history else 'not _is_deleted' if table.key else '_row_count > 0' }}
{%- endmacro %}
