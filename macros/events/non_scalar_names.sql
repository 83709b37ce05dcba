{% macro non_scalar_names(names) -%}
{%- set conditions = [] -%}
{%- for name in names -%}
{%- do conditions.append(
    "(left(" ~ name ~ ", 1) in ('{', '[') and (json_object_keys(" ~ name ~ ") is not null or json_array_length(" ~ name ~ ") is not null))"
) -%}
{%- endfor -%}
{{ return(['wrong_type', "'a list or an object stands where a name belongs'", 'coalesce(' ~ conditions | join(' or ') ~ ', false)']) }}
{%- endmacro %}
