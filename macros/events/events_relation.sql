{#
    The table of a format's events.

    Arguments:
        format (string): the format.

    Returns: the relation; none where there is no such table, or only the view that stands in for it, see
    materialization_incremental_spark().
#}
{% macro events_relation(format) -%}
{%- set found = built_relation(format ~ '_events') -%}
{{ return(found if found and found.type != 'view' else none) }}
{%- endmacro %}
