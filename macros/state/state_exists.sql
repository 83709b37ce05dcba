{#
    Whether a run adds to the state table, rather than building it anew.

    Arguments:
        state (relation): the state table.
#}
{% macro state_exists(state) -%}
{{ return(
    not should_full_refresh()
    and adapter.check_schema_exists(none, state.schema)
    and run_query("show tables in " ~ state.schema ~ " like '" ~ state.identifier ~ "'").rows | length > 0
) }}
{%- endmacro %}
