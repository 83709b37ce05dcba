{#
    All changes of one statement have one commit time. If it is unknown, they arrive within a minute:
    without a limit, a row whose values the table does not know exactly, as after a column was added
    with a default, would look like another row forever.
#}
{% macro is_one_moment(one, other) -%}
coalesce(
    {{ one }}committed_at = {{ other }}committed_at,
    coalesce({{ one }}committed_at, {{ other }}committed_at) is null
    and {{ one }}changed_at between {{ other }}changed_at - interval 1 minute and {{ other }}changed_at + interval 1 minute
)
{%- endmacro %}
