{#
    An image whose numbers were marked by decimals_quoted(), without the marks: a number is a number
    again within a JSON document that a column holds, written as it came, and the text of a number elsewhere.

    The image goes through its JSON text, in which each document is a string: without a lambda, which Spark
    would not compile.

    Arguments:
        image (string): an expression of type map<string, string>.
        mark (string): an expression of type string, the mark; empty: the image is as it has to be.
#}
{% macro documents_restored(image, mark) -%}
{%- set inside = "replace(replace(to_json(" ~ image ~ "), concat(r'\\\"', " ~ mark ~ "), ''), concat(" ~ mark ~ ", r'\\\"'), '')" -%}
if(
            {{ mark }} = '',
            {{ image }},
            {{ read_json('replace(' ~ inside ~ ', ' ~ mark ~ ", '')", 'map<string, string>') }}
        )
{%- endmacro %}
