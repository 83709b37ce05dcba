{#
    The first character set of an Avro image's texts that is unknown, or that its text is none of;
    null where there is none. The texts of UTF-8 are checked with all others of the message.

    Arguments:
        values (string): an expression of type array<struct<member0: …>>, see avro_image().
#}
{% macro unknown_charset(values) -%}
case
            when size(array_except({{ values }}.member1.charset, array({{ utf8_names() }}, null))) > 0
                then get(filter(
                    {{ values }}.member1,
                    text -> text is not null and {{ charset_text('text.value', 'text.charset') }} is null
                ), 0).charset
        end
{%- endmacro %}
