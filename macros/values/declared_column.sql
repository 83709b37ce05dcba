{% macro declared_column(name, declaration) -%}
{%- set type = declaration if declaration is string else declaration.type -%}
{%- set parts = type.split(' from ', 1) -%}
{%- set sources = source_names(name, declaration) -%}
{%- set mask = none if declaration is string else declaration.get('mask') -%}
{%- set ignore_case = false if declaration is string else declaration.get('ignore_case', false) -%}
{%- set spark_type = parts[0] | trim | lower -%}
{%- set element = element_type(spark_type) -%}
{%- set base = (element or spark_type).split('(')[0] -%}
{%- set encoding = parts[1] | trim if parts | length > 1 else 'text' -%}
{%- set is_string = spark_type == 'string' -%}
{%- set unknown = [] if declaration is string else declaration.keys() | reject('in', ['type', 'source', 'mask', 'ignore_case']) | list -%}
{%- if unknown -%}
{{ exceptions.raise_compiler_error("column " ~ name ~ " declares " ~ unknown[0] ~ ": write type, source, mask and ignore_case only") }}
{%- endif -%}
{%- if not sources -%}
{{ exceptions.raise_compiler_error("column " ~ name ~ " has an empty list as its source: write its name there, or leave source out") }}
{%- endif -%}
{#- a document covers the whole row -#}
{%- set encodings = encodings_of(base) | reject('equalto', 'document' if element else '') | list -%}
{%- if encoding.split('(')[0] not in encodings -%}
{{ exceptions.raise_compiler_error("column " ~ name ~ " is declared as " ~ type ~ ": of " ~ base ~ " write one of the encodings " ~ encodings | join(', ')) }}
{%- endif -%}
{%- if element and base.split('<')[0] in ('variant', 'map') -%}
{{ exceptions.raise_compiler_error("column " ~ name ~ " is declared as " ~ type ~ ": Spark cannot compare lists of " ~ base.split('<')[0] ~ "s: write array<string>") }}
{%- endif -%}
{%- if ignore_case and (mask or not is_string) -%}
{{ exceptions.raise_compiler_error("column " ~ name ~ " has ignore_case: only a string without a mask can have it") }}
{%- endif -%}
{%- if mask not in (none, 'null', 'hash') or (mask == 'hash' and not is_string) -%}
{{ exceptions.raise_compiler_error("column " ~ name ~ " has the mask " ~ mask ~ ": write null, or hash for a string") }}
{%- endif -%}
{{ return({
    'name': name,
    'source': sources[0],
    'sources': sources,
    'mask': mask,
    'ignore_case': ignore_case,
    'type': spark_type,
    'encoding': encoding,
}) }}
{%- endmacro %}
