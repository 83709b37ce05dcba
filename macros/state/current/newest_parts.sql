{# Without collecting them, so that a key may have any number of partial images in a run. #}
{% macro newest_parts(pending, table, columns) -%}
{%- set of_partials = 'is_upsert and is_partial' -%}
{%- set parts = [{'name': 'newest_partial', 'of_changes': newest_in_partition(change_struct(pending, table), of_partials)}] -%}
{%- for column in columns -%}
{%- set part = '_part_' ~ loop.index -%}
{%- set value = 'struct(' ~ image_text('image', dict(column, mask=none)) ~ ' as text, at)' -%}
{%- set has_it = of_partials ~ ' and (' ~ image_holds('image', column) ~ ')' -%}
{%- do parts.append({'name': part, 'of_changes': newest_in_partition(value, has_it), 'place': part ~ '.at'}) -%}
{%- endfor -%}
{{ return(parts) }}
{%- endmacro %}
