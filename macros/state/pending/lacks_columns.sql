{#
    Whether an image after an event leaves out declared columns: the dialect says so, or the image does
    not have each of them (one that the source dropped or renamed, or generates and does not send).
    What is absent is kept as the row has it; null would say that the source holds NULL. Of a document,
    which has the fields it has, only the dialect can say it. Where a producer can leave NULLs out (see
    format_traits()), what is absent is NULL, unless the image holds one: then its producer does not.

    Most images hold just the declared columns in their order, which is seen at a glance; the others
    are searched for each.

    Arguments:
        table (dictionary): the model's meta.
#}
{% macro lacks_columns(table) -%}
{%- if document_column(table.columns) -%}
coalesce(is_partial, false)
{%- else -%}
{%- set newest, single, renamed = [], [], [] -%}
{#- events_of_table() puts the shard behind the row -#}
{%- set names = table.columns | reject('eq', table.shard) | list + table.columns | select('eq', table.shard) | list -%}
{%- for name in names -%}
{%- set sources = sql_strings(declared_column(name, table.columns[name]).sources) -%}
{%- do newest.append(sources[0]) -%}
{%- do (single.append(sources[0]) if sources | length == 1 else renamed.append(sources | join(', '))) -%}
{%- endfor -%}
(
            coalesce(is_partial, false)
            or coalesce(
                map_keys(`after`) != array({{ newest | join(', ') }})
                and (
                    {%- if single %}
                    size(array_except(array({{ single | join(', ') }}), map_keys(`after`))) > 0
                    {%- endif %}
                    {%- for sources in renamed %}
                    {{ 'or ' if single or not loop.first }}not arrays_overlap(array({{ sources }}), map_keys(`after`))
                    {%- endfor %}
                )
                {%- if format_traits().leaves_out_nulls %}
                and exists(map_values(`after`), value -> value is null)
                {%- endif %},
                false
            )
        )
{%- endif -%}
{%- endmacro %}
