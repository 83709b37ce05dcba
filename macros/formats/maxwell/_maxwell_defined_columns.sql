{#
    The columns in the definition that a DDL message of Maxwell's has of its table, as types_of_columns()
    takes them: of `{"type": "bigint", "name": "a", "signed": false}` it is `{"name":"a","type":"bigint unsigned"}`.
    In a JSON text a name cannot hold what is replaced: its quotes are escaped.

    Arguments:
        def (string): an expression of type string, the definition's JSON; it may be broken.

    Returns: an expression of type string, a list; null where there is none.
#}
{% macro _maxwell_defined_columns(def) -%}
{%- set columns -%}
to_json(try_variant_get(try_parse_json({{ def }}), '$.columns', 'array<struct<name: string, type: string, signed: string, `column-length`: string>>'))
{%- endset -%}
{%- set signed = "replace(replace(" ~ columns ~ ", '\",\"signed\":\"false\"', ' unsigned\"'), ',\"signed\":\"true\"', '')" -%}
{%- set without_zero = "replace(" ~ signed ~ ", ',\"column-length\":\"0\"', '')" -%}
regexp_replace({{ without_zero }}, '","column-length":"([0-9]+)"', '($1)"')
{%- endmacro %}
