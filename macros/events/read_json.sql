{#
    One evaluation of from_json, as all parsers read: JSON as the standard has it, but for raw control
    characters within a text, which producers write.

    Arguments:
        text (string): an expression of type string, the JSON.
        fields (string): the type to read as Spark's DDL; its field `misread` becomes the text where
            another field is of another type than it should be.
        max_digits (integer): a number of more digits makes the text unreadable. PostgreSQL's
            longest has 147,455; unasked it is 1,000.

    Returns: an expression of that type.
#}
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
