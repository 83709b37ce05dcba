{#
    A truth value.

    Arguments:
        text (string): an expression of type string.
        encoding (string): text (what Spark's cast takes: true, t, yes, y, 1 and their opposites, in any
            case); exact (`true` and `false` alone).
#}
{% macro decode_boolean(text, encoding) -%}
{%- if encoding == 'exact' -%}
case {{ text }} when 'true' then true when 'false' then false end
{%- else -%}
try_cast({{ text }} as boolean)
{%- endif -%}
{%- endmacro %}
