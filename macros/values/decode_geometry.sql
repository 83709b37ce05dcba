{% macro decode_geometry(text, encoding) -%}
case
    when startswith({{ text }}, '{') then get(transform(
        array({{ json_value(text, 'struct<srid: string, wkb: string>') }}),
        found -> {{ _geometry("try_cast(coalesce(found.srid, '0') as int)", "try_to_binary(found.wkb, 'base64')") }}
    ), 0)
    -- MySQL's own format: the SRID comes first, its lowest byte first
    else get(transform(
        filter(array({{ decode_binary(text, encoding) }}), bytes -> octet_length(bytes) > 4),
        bytes -> {{ _geometry("try_cast(conv(" ~ reversed_bytes('hex(left(bytes, 4))') ~ ", 16, 10) as int)", 'substr(bytes, 5)') }}
    ), 0)
end
{%- endmacro %}

{% macro _geometry(srid, wkb) -%}
if({{ srid }} is not null and {{ wkb }} is not null, struct({{ srid }} as srid, {{ wkb }} as wkb), null)
{%- endmacro %}
