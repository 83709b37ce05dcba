{# The parser may spell a key in another way than the document does. #}
{% macro document_image(document, column, image, key) -%}
map_concat(
            map_filter(
                from_json({{ document }}.text, 'map<string, string>'),
                (name, value) -> {{ document }}.known is null or array_contains({{ document }}.known, name)
            ),
            map_filter({{ image }}, (name, value) -> name in ({{ sql_strings(key | map(attribute='sources') | sum(start=[])) | join(', ') }})),
            if({{ document }}.known is null, map({{ sql_string(column.source) }}, {{ document }}.text), cast(map() as map<string, string>))
        )
{%- endmacro %}
