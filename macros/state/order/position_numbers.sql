{#
    The numbers of a source's position, to be compared as numbers (`binlog.9:100` before
    `binlog.10:4`). SQL Server's are hexadecimal, `00000027:0000000a:0001`, and with AWS DMS PostgreSQL's
    and Oracle's too: `00000002/7C0073F8.2`, `00000000.00bb2531.00000001`. DTS writes the place in a binlog
    before the binlog: `100@9`.

    Arguments:
        text (string): an expression of type string.

    Returns: an expression of type array<decimal(38, 0)>; null for null.
#}
{% macro position_numbers(text) -%}
if(
                {{ text }} rlike '^[0-9A-Fa-f]{8}[:/.][0-9A-Fa-f]{8}[:.]',
                transform(regexp_extract_all({{ text }}, '([0-9A-Fa-f]+)', 1), digits -> cast(conv(digits, 16, 10) as decimal(38, 0))),
                transform(regexp_extract_all(regexp_replace({{ text }}, r'^([0-9]+)@([0-9]+)\z', '$2:$1'), '([0-9]+)', 1), digits -> try_cast(digits as decimal(38, 0)))
            )
{%- endmacro %}
