{#
    The reason for a reject that a list or an object stands where a name belongs, which from_json reads
    as its text. A table whose name begins with a bracket and is no JSON is none.

    Arguments:
        names (list of string): expressions of type string.

    Returns: a list of reason, detail and condition, see first_reject().
#}
{% macro odd_names(names) -%}
{%- set conditions = [] -%}
{%- for name in names -%}
{%- do conditions.append(
    "(left(" ~ name ~ ", 1) in ('{', '[') and (json_object_keys(" ~ name ~ ") is not null or json_array_length(" ~ name ~ ") is not null))"
) -%}
{%- endfor -%}
{{ return(['wrong_type', "'a list or an object stands where a name belongs'", 'coalesce(' ~ conditions | join(' or ') ~ ', false)']) }}
{%- endmacro %}
