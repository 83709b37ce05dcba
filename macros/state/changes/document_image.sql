{# The key is taken from the image: a parser may spell it differently from the document. #}
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
