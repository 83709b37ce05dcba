{#
    If a document is not known, its text also has parts of fields whose rest is unknown: only a field
    that came whole is known.
#}
{% macro document_after(document, patches, names, column) -%}
struct(
            {{ document_patched(document ~ '.text', patches) }} as text,
            array_remove(array_union({{ document }}.known, flatten({{ names }})), {{ sql_string(column.source) }}) as known
        )
{%- endmacro %}
