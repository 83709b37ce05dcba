{#
    A few digits that tell one salt of the mask `hash` from another, so that a table is not filled
    with two. They are sixteen bits of its MD5: of a long random salt that says nothing, and a short
    one is found sooner from the hashes themselves.

    Returns: a string. Raises a compiler error where not all of Spark's processes have the same salt,
    or none has it and dbt's own environment does.
#}
{% macro salt_digits() -%}
{#- many small tasks, for each executor to get some -#}
{%- set digits = fromjson(run_query('select to_json(collect_set(digits)) from (select left(md5(' ~ mask_salt() ~ '), 4) as digits from range(0, 64, 1, 64))').columns[0][0]) -%}
{%- if digits | length > 1 or (digits[0] == local_md5('')[:4] and env_var('CHANGELAKE_MASK_SALT', '')) -%}
{{ exceptions.raise_compiler_error("CHANGELAKE_MASK_SALT is not the same for all of Spark: set it in the environment of the server and of each executor, and not to `null`") }}
{%- endif -%}
{{ return(digits[0]) }}
{%- endmacro %}
