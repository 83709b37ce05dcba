{% macro key_of_table(table, columns) -%}
{%- set key = [] -%}
{%- for name in table.key -%}
{#- a former name of a renamed column can be the present name of another -#}
{%- set found = columns | selectattr('source', 'equalto', name) | list -%}
{%- for column in columns if name in column.sources -%}
{%- do found.append(column) -%}
{%- endfor -%}
{%- if not found -%}
{{ exceptions.raise_compiler_error(
    "the key of " ~ model.name ~ " names " ~ name ~ ", which no column has as its name at the source: declare that column,"
    ~ " or name one of " ~ columns | map(attribute='source') | join(', ')
) }}
{%- endif -%}
{%- if found[0].mask == 'null' -%}
{{ exceptions.raise_compiler_error("the key of " ~ model.name ~ " has " ~ name ~ " with the mask null, so all its rows would be one: mask it by hash") }}
{%- endif -%}
{%- do key.append(found[0]) -%}
{%- endfor -%}
{{ return(key) }}
{%- endmacro %}
