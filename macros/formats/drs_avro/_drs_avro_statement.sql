{# The statement of a DDL message. As `binary`, which has no texts, it is taken for UTF-8. #}
{% macro _drs_avro_statement() -%}
{{ non_blank(
            "if(lower(statement_text.charset) = 'binary', cast(statement_text.value as string), "
            ~ charset_text('statement_text.value', 'statement_text.charset') ~ ")"
        ) }}
{%- endmacro %}
