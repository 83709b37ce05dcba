{% macro non_scalar_names(names, lists=[]) -%}
{%- set conditions = [] -%}
{%- for name in names -%}
{%- do conditions.append(
    "(left(" ~ name ~ ", 1) in ('{', '[') and (json_object_keys(" ~ name ~ ") is not null or json_array_length(" ~ name ~ ") is not null))"
) -%}
{%- endfor -%}
{%- for list in lists -%}
{%- set joined = "array_join(" ~ list ~ ", '\\n')" -%}
{%- do conditions.append(
    "((contains(" ~ joined ~ ", '{') or contains(" ~ joined ~ ", '[')) and "
    ~ joined ~ " rlike r'(?m)^(?:[{][}\"]|\\[[\\]\"{\\[0-9-])')"
) -%}
{%- endfor -%}
{{ return(['wrong_type', "'a list or an object stands where a name belongs'", 'coalesce(' ~ conditions | join(' or ') ~ ', false)']) }}
{%- endmacro %}
