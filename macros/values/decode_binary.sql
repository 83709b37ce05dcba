{% macro decode_binary(text, encoding) -%}
{%- if '(' in encoding -%}
{%- set bytes = decode_binary(text, encoding.split('(')[0]) -%}
{#- the maximum of MySQL's BINARY; a larger number in a message cannot be a length -#}
{%- set length = encoding.split('(')[1].rstrip(')') | int -%}
{{ bytes if length > 255 else 'rpad(' ~ bytes ~ ', greatest(' ~ length ~ ', octet_length(' ~ bytes ~ ")), x'00')" }}
{%- elif encoding == 'base64' -%}
try_to_binary({{ text }}, 'base64')
{%- elif encoding == 'hex' -%}
{#- try_to_binary() would pad half a byte with a zero -#}
case when length({{ text }}) % 2 = 0 then try_to_binary(regexp_replace({{ text }}, r'^(\\x|0x)', ''), 'hex') end
{%- elif encoding == 'byte_list' -%}
case
    when {{ text }} rlike r'^\[\s*\]\z' then cast('' as binary)
    when {{ text }} rlike r'^\[\s*-?[0-9]{1,3}(\s*,\s*-?[0-9]{1,3})*+\s*\]\z'
        then unhex(array_join(transform(
            split(translate({{ text }}, '[] ', ''), ','),
            -- one invalid byte makes the whole value invalid
            byte -> if(cast(byte as int) between -128 and 255, lpad(hex(cast(byte as int) & 255), 2, '0'), '?')
        ), ''))
end
{%- elif encoding == 'latin1' -%}
case when {{ text }} rlike r'^[\x00-\xFF]*+\z' then encode({{ text }}, 'ISO-8859-1') end
{%- else -%}
cast({{ text }} as binary)
{%- endif -%}
{%- endmacro %}
