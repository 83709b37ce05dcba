{#
    The text is read as what stands between the quotes of a JSON string, in which each of its own
    backslashes is escaped but those of such escapes. An odd number of backslashes begins an escape.
#}
{% macro escapes_as_letters(text) -%}
{%- set ns = namespace(inside="replace(replace(" ~ text ~ ", '\\\\', r'\\\\'), '\"', r'\\\"')") -%}
{%- for letter, kept in [
    ('(u[dD][89abAB][0-9a-fA-F]{2})\\\\{2}(u[dD][c-fC-F][0-9a-fA-F]{2})', '$2\\\\$3'),
    ('(u(?!00[0-7]|[dD][89a-fA-F])[0-9a-fA-F]{4})', '$2'),
] -%}
{%- set ns.inside = "regexp_replace(" ~ ns.inside ~ ", r'(?<!\\\\)((?:\\\\{4})*+)\\\\{2}" ~ letter ~ "', r'$1\\\\" ~ kept ~ "')" -%}
{%- endfor -%}
if(
            contains({{ text }}, r'\ud') or contains({{ text }}, r'\uD'),
            coalesce({{ read_json("concat('{\"text\":\"', " ~ ns.inside ~ ", '\"}')", 'struct<text: string>') }}.text, {{ text }}),
            {{ text }}
        )
{%- endmacro %}
