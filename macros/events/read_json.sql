{% macro read_json(text, fields, max_digits=150000) -%}
from_json(
        {{ text }},
        '{{ fields }}',
        map(
            'allowUnquotedControlChars', 'true',
            'allowSingleQuotes', 'false',
            'allowNonNumericNumbers', 'false',
            'columnNameOfCorruptRecord', 'misread',
            -- the maximum length of a Java string; the default is 20 million characters
            'maxStringLen', '2147483647',
            'maxNumLen', '{{ max_digits }}'
        )
    )
{%- endmacro %}
