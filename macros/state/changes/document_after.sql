{#
    Of a document that is not known, the text also has parts of fields of which the rest is not known:
    only a field that came whole is.
#}
{% macro document_after(document, patches, names, column) -%}
struct(
            {{ document_patched(document ~ '.text', patches) }} as text,
            array_remove(array_union({{ document }}.known, flatten({{ names }})), {{ sql_string(column.source) }}) as known
        )
{%- endmacro %}
