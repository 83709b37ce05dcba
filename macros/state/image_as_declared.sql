{#
    An image whose values have the declared encodings: one that the message sent in another becomes
    the plain text of its value, which every decoder understands; what has none, a text that none does.

    Arguments:
        image (string): an expression of type map<string, string>.
        others (list of dictionaries): see other_encodings().
#}
{% macro image_as_declared(image, others) -%}
{%- if not others -%}
{{ image }}
{%- else -%}
case column_types
            {%- for one in others %}
            when {{ sql_string(one.types) }} then transform_values({{ image }}, (name, value) -> case name
                {%- for column in one.columns %}
                when {{ sql_string(column.source) }} then coalesce({{ _plain_text('value', column) }}, concat(value, ' ', {{ sql_string(column.sent) }}))
                {%- endfor %}
                else value
            end)
            {%- endfor %}
            else {{ image }}
        end
{%- endif -%}
{%- endmacro %}

{# A decimal with its point, by which it is told from Base64. #}
{% macro _plain_text(text, column) -%}
{%- set is_decimal = column.type.startswith('decimal') -%}
{%- set is_base64 = column.sent.startswith('base64_') -%}
{#- of a decimal as it was sent: the declared type may not hold it -#}
{%- set type = 'string' if is_decimal and is_base64 else column.type -%}
{%- set plain = text if column.sent == 'text' else 'cast(' ~ decode(text, dict(column, type=type, encoding=column.sent)) ~ ' as string)' -%}
{{ 'concat(' ~ plain ~ ', if(contains(' ~ plain ~ ", '.'), '', '.'))" if is_decimal else plain }}
{%- endmacro %}
