{#
    What one statement does has one commit time. Where none is told, it comes within a minute: any
    moment would be one too many, since a row whose values the table does not know exactly, as after
    a column was added with a default, would then look like another row for good.
#}
{% macro is_one_moment(one, other) -%}
coalesce(
    {{ one }}committed_at = {{ other }}committed_at,
    coalesce({{ one }}committed_at, {{ other }}committed_at) is null
    and {{ one }}changed_at between {{ other }}changed_at - interval 1 minute and {{ other }}changed_at + interval 1 minute
)
{%- endmacro %}
