{#
    Ids begin at 1, and Apicurio's stay below 2^32 in practice: four bytes of 0 after the first byte are the
    first half of an id of eight bytes.
#}
{% macro registry_header(bytes) -%}
case
        when startswith({{ bytes }}, X'0000000000') then hex(substring({{ bytes }}, 1, 9))
        when startswith({{ bytes }}, X'00') then hex(substring({{ bytes }}, 1, 5))
    end
{%- endmacro %}
