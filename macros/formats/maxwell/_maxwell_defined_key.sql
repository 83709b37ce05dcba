{#
    The key's columns in the definition that a DDL message of Maxwell's has of its table.

    Arguments:
        def (string): an expression of type string, the definition's JSON; it may be broken.

    Returns: an expression of type array<string>; null where there is none.
#}
{% macro _maxwell_defined_key(def) -%}
try_variant_get(try_parse_json({{ def }}), '$["primary-key"]', 'array<string>')
{%- endmacro %}
