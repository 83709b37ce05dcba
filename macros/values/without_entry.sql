{#
    A map without one of its entries. Without a lambda, which Spark would not compile.

    Arguments:
        image (string): an expression of type map<string, string>.
        name (string): the entry's key.
#}
{% macro without_entry(image, name) -%}
map_from_entries(array_remove(
            map_entries({{ image }}),
            named_struct('key', {{ sql_string(name) }}, 'value', {{ image }}[{{ sql_string(name) }}])
        ))
{%- endmacro %}
