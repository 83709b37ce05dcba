{# The text of a DDL message that contains the statement: the first text of the images. #}
{% macro _drs_avro_statement_text() -%}
case
            when message.operation ilike '%DDL'
                then get(array_compact(flatten(array_compact(array(
                    message.afterImages.member1, message.beforeImages.member1
                )))), 0)
        end
{%- endmacro %}

{# The statement of a DDL message. If it is binary, it is read as UTF-8. #}
{% macro _drs_avro_statement() -%}
{{ non_blank(
            "if(lower(statement_text.charset) = 'binary', cast(statement_text.value as string), "
            ~ charset_text('statement_text.value', 'statement_text.charset') ~ ")"
        ) }}
{%- endmacro %}
