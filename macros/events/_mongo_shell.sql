{#
    The text of the Mongo shell as Extended JSON (version 2), in which each value keeps its BSON
    type. Three expressions, one after the other, each over a column, as it looks at its text often.

    The first writes a call `Name(a, b)` as `{"$Name"|"a"|"b"}`. It steps over whole strings, each
    match beginning where the last one ended (\G), so that it touches nothing inside a string; its
    quantifiers are possessive, so that it neither goes back nor fills the stack. An argument has two
    quotes, which are equal, or none. No valid text can hold a bar there, so plain replacements finish
    what it began.

    Arguments:
        text (string): an expression of type string.
#}
{% macro _mongo_calls_marked(text) -%}
{%- set string = '"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"' -%}
{%- set argument = '\\s*+(["\\x27]?+)([^"\\x27\\\\(),{}]*+)\\%d\\s*+' -%}
regexp_replace(
    {{ text }},
    r'(?s)\G([^"A-Z]*+(?:(?:{{ string }}|[A-Z][A-Za-z0-9]*+(?!\())[^"A-Z]*+)*+)'
    || r'([A-Z][A-Za-z0-9]*+)\({{ argument | format(3) }}(?:,{{ argument | format(5) }})?\)',
    r'$1{"\$$2"|"$4"|"$6"}'
)
{%- endmacro %}

{# The calls with one argument, which are nearly all. #}
{% macro _mongo_calls_named(marked) -%}
{%- set ns = namespace(text=marked) -%}
{%- for call, written in [
    ('"|""}', '"}'),
    ('{"$ObjectId"|"', '{"$oid":"'),
    ('{"$ISODate"|"', '{"$date":"'),
    ('{"$NumberLong"|"', '{"$numberLong":"'),
    ('{"$NumberDecimal"|"', '{"$numberDecimal":"'),
    ('{"$NumberInt"|"', '{"$numberInt":"'),
    ('{"$UUID"|"', '{"$uuid":"'),
    ('{"$Double"|"', '{"$numberDouble":"'),
    ('new {"$', '{"$'),
] -%}
{%- set ns.text = "replace(" ~ ns.text ~ ", '" ~ call ~ "', '" ~ written ~ "')" -%}
{%- endfor -%}
{{ ns.text }}
{%- endmacro %}

{# The other calls. BinData's types are 0 to 9, or user-defined from 128 on. #}
{% macro _mongo_rare_calls_named(named) -%}
{%- set ns = namespace(text=named) -%}
{%- for call, written in [
    ('Timestamp"\\|"(-?[0-9]+)"\\|"(-?[0-9]+)"', '"\\$timestamp":{"t":$1,"i":$2}'),
    ('BinData"\\|"([0-9])"(?:\\|"([^"]*)")?', '"\\$binary":{"base64":"$2","subType":"0$1"}'),
    ('BinData"\\|"128"(?:\\|"([^"]*)")?', '"\\$binary":{"base64":"$1","subType":"80"}'),
    ('Date"\\|"(-?[0-9]+)"', '"\\$date":{"\\$numberLong":"$1"}'),
    ('Date"\\|"([^"]*)"', '"\\$date":"$1"'),
] -%}
{%- set ns.text = "regexp_replace(" ~ ns.text ~ ", r'[{]\"\\$" ~ call ~ "[}]', r'{" ~ written ~ "}')" -%}
{%- endfor -%}
{{ ns.text }}
{%- endmacro %}

{#
    The text with what only people and some drivers write converted to the spelling above: strings in
    single quotes, keys without quotes, regular expressions, undefined, MinKey, NaN. Slow, since it takes the
    text apart into its tokens. Anything else stays as it is, and is then not valid JSON. So does what
    is not closed, with all that follows: each later place would search for its end again.
#}
{% macro _mongo_plain(text) -%}
{%- set double_quoted = '"(?:[^"\\\\]|\\\\.)*+"' -%}
{%- set single_quoted = '\\x27(?:[^\\x27\\\\]|\\\\.)*+\\x27' -%}
{%- set regular = '/(?:[^/\\\\\\n\\[]|\\\\.|\\[(?:[^\\]\\\\\\n]|\\\\.)*+\\])++/[a-z]*+' -%}
{%- set tokens = [
    double_quoted,
    single_quoted,
    regular,
    '["\\x27/].*+',
    '[\\w$]++\\s*+:',
    'M(?:in|ax)Key(?:\\(\\))?',
    '-?[A-Za-z_][\\w$]*+',
    '[0-9$][\\w$]*+',
    '[^"\\x27/\\w$-]++',
    '-',
] -%}
regexp_replace(
    array_join(transform(
        regexp_extract_all({{ text }}, r'(?s){{ tokens | join('|') }}', 0),
        token -> case
            when token rlike r'^[^"\x27/\w$-]' then token
            when token rlike r'(?s)^{{ double_quoted }}' then {{ _as_json_escapes('token') }}
            when token rlike r'(?s)^{{ single_quoted }}' then concat(
                '"',
                -- quotes that need no escape in there need one in JSON
                regexp_replace({{ _as_json_escapes("substr(token, 2, length(token) - 2)") }}, r'\G((?:[^"\\]|\\.)*+)"', r'$1\\"'),
                '"'
            )
            when token rlike r'(?s)^{{ regular }}' then concat(
                '{"$regularExpression":{"pattern":',
                {{ json_string(_regular_expression('token')) }},
                ',"options":"', substring_index(token, '/', -1), '"}}'
            )
            when token rlike r'^["\x27/]' then token
            when endswith(token, ':') then concat('"', rtrim(rtrim(':', token)), '":')
            {%- for name, alias in [
                ('NumberInt', 'Int32'), ('NumberLong', 'Long'), ('NumberDecimal', 'Decimal128'),
            ] %}
            when token = '{{ alias }}' then '{{ name }}'
            {%- endfor %}
            when token = 'undefined' then '{"$undefined":true}'
            when token in ('NaN', 'Infinity', '-Infinity') then concat('{"$numberDouble":"', token, '"}')
            when token rlike '^M(in|ax)Key' then concat('{"$', lower(left(token, 3)), 'Key":1}')
            else token
        end
    ), ''),
    r'Timestamp\(\{\s*"t":\s*([0-9]+)\s*,\s*"i":\s*([0-9]+)\s*\}\)', 'Timestamp($1,$2)'
)
{%- endmacro %}

{# The text between the slashes, in which slashes are escaped. #}
{% macro _regular_expression(token) -%}
replace(regexp_extract({{ token }}, '(?s)^/(.*)/', 1), r'\/', '/')
{%- endmacro %}

{# The escapes of JavaScript that JSON does not have, as JSON's. #}
{% macro _as_json_escapes(text) -%}
regexp_replace(
                regexp_replace({{ text }}, r'\G((?:[^\\]|\\[^\x27])*+)\\\x27', "$1'"),
                r'\G((?:[^\\]|\\[^x])*+)\\x([0-9A-Fa-f]{2})', r'$1\\u00$2'
            )
{%- endmacro %}
