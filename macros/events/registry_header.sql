{#
    What stands in front of an Avro datum whose schema a registry has, in hexadecimal: a byte of 0 and the
    schema's id, of four bytes as Confluent's serializers write it, or of eight as Apicurio's do. Ids begin
    at 1 and Apicurio's are below 2^32 in practice, so four bytes of 0 are the first half of eight.

    The landing job reads this expression here too.

    Arguments:
        bytes (string): an expression of type binary.

    Returns: an expression of type string: null where the bytes begin with no 0, and shorter where they end
    within the header.
#}
{% macro registry_header(bytes) -%}
case
        when startswith({{ bytes }}, X'0000000000') then hex(substring({{ bytes }}, 1, 9))
        when startswith({{ bytes }}, X'00') then hex(substring({{ bytes }}, 1, 5))
    end
{%- endmacro %}
