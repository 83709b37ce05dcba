{#
    A column's declaration in a current model, taken apart.

    Arguments:
        name (string): the column's name in the current table.
        declaration (string or dictionary): `<spark type>` or `<spark type> from <encoding>`, for
            example `decimal(10,2)`, `binary from base64`, `timestamp_ntz from epoch_micros`,
            `decimal(10,2) from base64_unscaled(2)`; without an encoding the value is plain text.
            As a dictionary: `type` with such a text, and `source` with the column's name at the
            source where that differs. The encodings are listed in docs/types.md.

    Returns: a dictionary with name, source, type and encoding.
#}
{% macro declared_column(name, declaration) -%}
{%- set type = declaration if declaration is string else declaration.type -%}
{%- set parts = type.split(' from ', 1) -%}
{{ return({
    'name': name,
    'source': name if declaration is string else declaration.get('source', name),
    'type': parts[0] | trim | lower,
    'encoding': parts[1] | trim if parts | length > 1 else 'text',
}) }}
{%- endmacro %}
