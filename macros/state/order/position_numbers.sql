{% macro position_numbers(text) -%}
if(
                {{ text }} rlike '^[0-9A-Fa-f]{8}[:/.][0-9A-Fa-f]{8}[:.]',
                transform(regexp_extract_all({{ text }}, '([0-9A-Fa-f]+)', 1), digits -> cast(conv(digits, 16, 10) as decimal(38, 0))),
                transform(regexp_extract_all(regexp_replace({{ text }}, r'^([0-9]+)@([0-9]+)\z', '$2:$1'), '([0-9]+)', 1), digits -> try_cast(digits as decimal(38, 0)))
            )
{%- endmacro %}
