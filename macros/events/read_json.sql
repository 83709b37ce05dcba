{% macro read_json(text, fields, max_digits=150000) -%}
from_json(
        {{ text }},
        '{{ fields }}',
        map(
            'allowUnquotedControlChars', 'true',
            'allowSingleQuotes', 'false',
            'allowNonNumericNumbers', 'false',
            'columnNameOfCorruptRecord', 'misread',
            -- a value may be as long as a text of Java's; unasked it is 20 million characters
            'maxStringLen', '2147483647',
            'maxNumLen', '{{ max_digits }}'
        )
    )
{%- endmacro %}
