{% macro decode_string(text, encoding) -%}
{%- if encoding == 'time' -%}
case when {{ text }} like '%.%' then rtrim('.', rtrim('0', rtrim('Z', {{ text }}))) else rtrim('Z', {{ text }}) end
{%- elif encoding in ('base64', 'hex') -%}
try_validate_utf8(cast({{ decode_binary(text, encoding) }} as string))
{%- elif encoding == 'hierarchyid' -%}
{{ hierarchyid_text(text) }}
{%- elif encoding.startswith('base64_') -%}
{{ base64_decimal_text(text, encoding) }}
{%- elif encoding == 'bits' or encoding.startswith('bits(') -%}
{{ bits_text(text, encoding) }}
{%- elif encoding in ('time_millis', 'time_micros', 'time_nanos') -%}
{%- set second = {'time_millis': 1000, 'time_micros': 1000000, 'time_nanos': 1000000000}[encoding] -%}
{#- the smallest bigint has no absolute value -#}
{%- set number = "abs(nullif(try_cast(" ~ text ~ " as bigint), -9223372036854775808))" -%}
coalesce(
    concat(
        if({{ text }} like '-%', '-', ''),
        lpad(cast({{ number }} div {{ 3600 * second }} as string), greatest(2, length(cast({{ number }} div {{ 3600 * second }} as string))), '0'), ':',
        lpad(cast({{ number }} div {{ 60 * second }} % 60 as string), 2, '0'), ':',
        lpad(cast({{ number }} div {{ second }} % 60 as string), 2, '0'),
        rtrim('.', rtrim('0', concat('.', lpad(cast({{ number }} % {{ second }} as string), {{ second | string | length - 1 }}, '0'))))
    ),
    {{ text }}
)
{%- elif encoding == 'epoch_nanos' -%}
{%- set number = "try_cast(" ~ text ~ " as bigint)" -%}
coalesce(
    concat(
        -- `div` truncates towards zero, also before 1970
        cast(timestamp_seconds({{ number }} div 1000000000 - if({{ number }} % 1000000000 < 0, 1, 0)) as string),
        rtrim('.', rtrim('0', concat('.', lpad(cast(pmod({{ number }}, 1000000000) as string), 9, '0'))))
    ),
    {{ text }}
)
{%- elif encoding == 'json_string' -%}
if({{ text }} like '"%"', coalesce(get(from_json(concat('[', {{ text }}, ']'), 'array<string>'), 0), {{ text }}), {{ text }})
{%- elif encoding == 'json_list' -%}
if({{ text }} like '[%]', coalesce(array_join(from_json({{ text }}, 'array<string>'), ','), {{ text }}), {{ text }})
{%- elif encoding.startswith('enum(') -%}
{%- set labels = _labels(encoding[5:-1]) | join(', ') -%}
coalesce(get(array('', {{ labels }}), try_cast({{ text }} as int)), {{ _unless_a_number(text, labels) }})
{%- elif encoding.startswith('set(') -%}
{%- set all_labels = _labels(encoding[4:-1]) -%}
{%- set labels = all_labels | join(', ') -%}
{%- set mask = whole_number(text) -%}
case
    -- the 64th label is the sign bit of a bigint
    when {{ mask }} between {{ -2 ** 63 if all_labels | length == 64 else 0 }}BD and {{ 2 ** (all_labels | length) - 1 }}BD
        then array_join(filter(
            array({{ labels }}),
            (label, i) -> getbit(cast({{ mask }} - if({{ mask }} > 9223372036854775807, 18446744073709551616, 0) as bigint), i) = 1
        ), ',')
    else {{ _unless_a_number(text, labels) }}
end
{%- else -%}
{{ text }}
{%- endif -%}
{%- endmacro %}

{#- A number that is neither a label nor the index of one is not a value of the type. -#}
{% macro _unless_a_number(text, labels) -%}
if({{ text }} rlike r'^\s*+[+-]?+[0-9]++\s*+\z' and {{ text }} not in ({{ labels }}), null, {{ text }})
{%- endmacro %}

{#-
    MySQL's labels as Spark's literals. `show create table` and the catalog write a quote as two, and a
    backslash and the end of a line as a backslash and a letter.
-#}
{% macro _labels(text) -%}
{%- set labels = [] -%}
{%- for label in modules.re.findall("'((?:[^']|'')*)'", text) -%}
{%- set parts = label.replace("''", "'").split('\\\\') -%}
{%- do labels.append(sql_string(parts | map('replace', '\\n', '\n') | join('\\'))) -%}
{%- endfor -%}
{{ return(labels) }}
{%- endmacro %}
