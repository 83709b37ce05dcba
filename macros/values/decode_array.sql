{% macro decode_array(text, element, time_zone) -%}
{#- bound to names by lambdas: what is read and decoded once is looked at several times -#}
get(transform(
    array(transform(
        {{ json_value(text, 'array<string>') }},
        element -> struct(element as text, {{ decode('element', element, time_zone) }} as value)
    )),
    elements -> if(exists(elements, one -> one.text is not null and one.value is null), null, elements.value)
), 0)
{%- endmacro %}
