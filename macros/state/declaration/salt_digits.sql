{#
    Sixteen bits of the salt's MD5: they reveal nothing about a long random salt, and a short one is
    easier to guess from the hashes themselves.
#}
{% macro salt_digits() -%}
{%- if 'salt' not in run_notes() -%}
{#- many small tasks, so that each executor gets some -#}
{%- set digits = fromjson(run_query('select to_json(collect_set(digits)) from (select left(md5(' ~ mask_salt() ~ '), 4) as digits from range(0, 64, 1, 64))').columns[0][0]) -%}
{%- if digits | length > 1 or (digits[0] == local_md5('')[:4] and env_var('CHANGELAKE_MASK_SALT', '')) -%}
{{ exceptions.raise_compiler_error("CHANGELAKE_MASK_SALT is not the same for all of Spark: set it in the environment of the server and of each executor, and not to `null`") }}
{%- endif -%}
{%- do run_notes().update({'salt': digits[0]}) -%}
{%- if digits[0] == local_md5('')[:4] -%}
{%- do exceptions.warn(
    "CHANGELAKE_MASK_SALT is not set, so the values that are masked by hash can be guessed: set it to a long random text, and rebuild these tables"
    ~ " as their next build then says"
) -%}
{%- endif -%}
{%- endif -%}
{{ return(run_notes().salt) }}
{%- endmacro %}
