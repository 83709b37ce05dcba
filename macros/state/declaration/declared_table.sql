{% macro declared_table(node) -%}
{%- if node.config.materialized == 'current_table' -%}
{%- for name in ['feeds', 'key'] if node.config.meta.get(name) is string -%}
{{ exceptions.raise_compiler_error(node.name ~ " has '" ~ name ~ "': '" ~ node.config.meta[name] ~ "' in its meta: write a list, ['" ~ node.config.meta[name] ~ "']") }}
{%- endfor -%}
{{ return(node.config.meta) }}
{%- endif -%}
{%- for other in graph.nodes.values() if other.resource_type == 'model' and other.name == node.config.meta.current -%}
{{ return(other.config.meta) }}
{%- endfor -%}
{{ exceptions.raise_compiler_error(node.name ~ " names no current model: write the name of one into its meta, as `current`, or remove it") }}
{%- endmacro %}
