{#
    Most images hold exactly the declared columns in their order, which one comparison shows; only
    the others are searched column by column. A dialect may only tell that columns can be missing from
    an update: one that has all of them is complete, and needs no earlier image.
#}
{% macro lacks_columns(table, image='`after`') -%}
{%- if format_traits().sends_documents -%}
coalesce(is_partial, false)
{%- else -%}
{%- set newest, single, renamed = [], [], [] -%}
{#- events_of_table() appends the shard to the row -#}
{%- set names = table.columns | reject('eq', table.shard) | list + table.columns | select('eq', table.shard) | list -%}
{%- for name in names -%}
{%- set sources = sql_strings(declared_column(name, table.columns[name]).sources) -%}
{%- do newest.append(sources[0]) -%}
{%- do (single.append(sources[0]) if sources | length == 1 else renamed.append(sources | join(', '))) -%}
{%- endfor -%}
coalesce(
            map_keys({{ image }}) != array({{ newest | join(', ') }})
            and (
                {%- if single %}
                size(array_except(array({{ single | join(', ') }}), map_keys({{ image }}))) > 0
                {%- endif %}
                {%- for sources in renamed %}
                {{ 'or ' if single or not loop.first }}not arrays_overlap(array({{ sources }}), map_keys({{ image }}))
                {%- endfor %}
            )
            {%- if format_traits().leaves_out_nulls %}
            and exists(map_values({{ image }}), value -> value is null)
            {%- endif %},
            false
        )
{%- endif -%}
{%- endmacro %}
