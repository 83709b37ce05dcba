{% macro avro_wrapping(schema, size=16) -%}
{"type": "record", "name": "changelake_wrapping", "fields": [{"name": "message", "type": {{ schema }}}, {"name": "end", "type": {"type": "fixed", "name": "changelake_end", "size": {{ size }}}}]}
{%- endmacro %}
