{% macro unknown_charset(values) -%}
case
            when size(array_except({{ values }}.member1.charset, array({{ utf8_names() }}, null))) > 0
                then get(filter(
                    {{ values }}.member1,
                    text -> text is not null and {{ charset_text('text.value', 'text.charset') }} is null
                ), 0).charset
        end
{%- endmacro %}
