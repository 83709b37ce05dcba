-- Each decoder at its extremes: what the text says, or null where the type cannot hold it exactly.
-- A case is a declaration, the producer's text, the expected value in SQL, and the feed's time zone.
{% set cases = [
    ('tinyint', '-128', "-128Y"), ('tinyint', '128', 'null'), ('smallint', '-32768', '-32768S'),
    ('int', '2147483647', '2147483647'), ('int', '2147483648', 'null'), ('int', '1.5', 'null'), ('int', '', 'null'),
    ('bigint', '-9223372036854775808', '-9223372036854775808'), ('bigint', '9223372036854775808', 'null'),
    ('tinyint', 'true', '1Y'), ('int', 'abc', 'null'),
    ('decimal(20,0)', '18446744073709551615', '18446744073709551615BD'),
    ('decimal(20,0) from signed64', '-1', '18446744073709551615BD'),
    ('decimal(20,0) from signed64', '-9223372036854775808', '9223372036854775808BD'),
    ('decimal(20,0) from signed64', '9223372036854775807', '9223372036854775807BD'),
    ('decimal(10,2)', '1.10', '1.10BD'), ('decimal(10,2)', '-0.01', '-0.01BD'), ('decimal(10,2)', '1.105', 'null'),
    ('decimal(10,2)', '1.1000', '1.10BD'), ('decimal(10,2)', '100000000', 'null'), ('decimal(10,2)', '.5', '0.50BD'),
    ('decimal(10,2)', '1.1E1', '11.00BD'), ('decimal(10,2)', '1.234E0', 'null'), ('decimal(10,2)', 'NaN', 'null'),
    ('decimal(38,0)', '99999999999999999999999999999999999999', '99999999999999999999999999999999999999BD'),
    ('decimal(38,0)', '100000000000000000000000000000000000000', 'null'),
    ('decimal(38,0)', '1.5', 'null'), ('decimal(38,0)', '1E+3', '1000BD'),
    ('decimal(38,38)', '-0.99999999999999999999999999999999999999', '-0.99999999999999999999999999999999999999BD'),
    ('decimal(38,10)', '1234567890123456789012345678.0123456789', '1234567890123456789012345678.0123456789BD'),
    ('decimal(10,2) from base64_unscaled(2)', 'bg==', '1.10BD'),
    ('decimal(10,2) from base64_unscaled(2)', '/w==', '-0.01BD'),
    ('decimal(10,2) from base64_unscaled(2)', 'AA==', '0.00BD'),
    ('decimal(10,2) from base64_unscaled(2)', 'gA==', '-1.28BD'),
    ('decimal(10,2) from base64_unscaled(2)', '1.10', '1.10BD'),
    ('decimal(38,0) from base64_unscaled(0)', 'AJZ2mVC1DYj0ExREgAAAAAA=', 'null'),
    ('decimal(38,0) from base64_unscaled(0)', 'SztMqFqGxHoJiiI//////w==', '99999999999999999999999999999999999999BD'),
    ('decimal(38,0) from base64_unscaled(0)', 'tMSzV6V5O4X2dd3AAAAAAQ==', '-99999999999999999999999999999999999999BD'),
    ('decimal(20,0) from base64_unscaled(0)', 'AP//////////', '18446744073709551615BD'),
    ('decimal(38,4) from base64_struct', '{"scale":3,"value":"BNI="}', '1.2340BD'),
    ('decimal(38,4) from base64_struct', '{"scale":0,"value":"/w=="}', '-1.0000BD'),
    ('decimal(38,2) from base64_struct', '{"scale":3,"value":"BNI="}', 'null'),
    ('decimal(20,0) from bits', 'BQE=', '261BD'), ('decimal(20,0) from bits', '//////////8=', '18446744073709551615BD'),
    ('double', '1.7976931348623157E308', '1.7976931348623157E308D'), ('double', 'NaN', "double('NaN')"),
    ('double', '-Infinity', "double('-Infinity')"), ('float', '1.1', '1.1F'), ('double', 'x', 'null'),
    ('boolean', '1', 'true'), ('boolean', 'false', 'false'), ('boolean', 't', 'true'), ('boolean', '2', 'null'),
    ('string', '', "''"), ('string', 'NULL', "'NULL'"),
    ('string from time', '10:00:00.500', "'10:00:00.5'"), ('string from time', '-838:59:59.000000', "'-838:59:59'"),
    ('string from time', '10:20:00', "'10:20:00'"),
    ('string from time_micros', '3020399000000', "'838:59:59'"), ('string from time_micros', '-3020399999999', "'-838:59:59.999999'"),
    ('string from time_micros', '0', "'00:00:00'"), ('string from time_micros', '3600500000', "'01:00:00.5'"),
    ('string from time_millis', '1001', "'00:00:01.001'"), ('string from time_nanos', '1000', "'00:00:00.000001'"),
    ("string from enum('a','b,c')", '2', "'b,c'"), ("string from enum('a','b')", '0', "''"), ("string from enum('a','b')", 'a', "'a'"),
    ("string from set('a','b','c')", '5', "'a,c'"), ("string from set('a','b','c')", '0', "''"), ("string from set('a','b','c')", 'a,b', "'a,b'"),
    ('binary', 'é', "X'C3A9'"), ('binary from base64', '', "X''"), ('binary from base64', '/wA=', "X'FF00'"), ('binary from base64', '?', 'null'),
    ('binary from hex', 'ff00', "X'FF00'"), ('binary from hex', '\\xFF', "X'FF'"), ('binary from hex', 'zz', 'null'),
    ('binary from byte_list', '[106, 103]', "X'6A67'"), ('binary from byte_list', '[-1,0,255]', "X'FF00FF'"),
    ('binary from byte_list', '[]', "X''"), ('binary from byte_list', 'x', 'null'),
    ('binary from latin1', 'ÿ\u0000é', "X'FF00E9'"), ('binary from latin1', '华', 'null'),
    ('date', '9999-12-31', "date'9999-12-31'"), ('date', '0001-01-01', "date'0001-01-01'"), ('date', '0000-00-00', 'null'),
    ('date', '2026-02-29', 'null'), ('date', '2024-02-29', "date'2024-02-29'"), ('date', '2026-01-01 10:00:00', 'null'),
    ('date', '2026-01', 'null'), ('date', '2026-01-01Z', "date'2026-01-01'"), ('date', '2026-01-01 00:00:00', "date'2026-01-01'"),
    ('date from epoch_days', '-719162', "date'0001-01-01'"), ('date from epoch_days', '2932896', "date'9999-12-31'"),
    ('date from epoch_days', '-2147472691', 'null'), ('date from epoch_days', '2026-01-01', "date'2026-01-01'"),
    ('date from epoch_millis', '-1', "date'1969-12-31'"),
    ('timestamp_ntz', '2026-03-01 08:00:00.123456', "timestamp_ntz'2026-03-01 08:00:00.123456'"),
    ('timestamp_ntz', '9999-12-31 23:59:59.999999', "timestamp_ntz'9999-12-31 23:59:59.999999'"),
    ('timestamp_ntz', '2026-03-01T08:00:00Z', "timestamp_ntz'2026-03-01 08:00:00'"),
    ('timestamp_ntz', '2026-03-01 08:00:00.1234567', 'null'), ('timestamp_ntz', '2026-03-01 08:00:00.1230000000', "timestamp_ntz'2026-03-01 08:00:00.123'"),
    ('timestamp_ntz', '0000-00-00 00:00:00', 'null'), ('timestamp_ntz', '2026-13-01 00:00:00', 'null'),
    ('timestamp_ntz', '2026-03-29 02:30:00', "timestamp_ntz'2026-03-29 02:30:00'", 'Europe/Berlin'),
    ('timestamp_ntz from epoch_millis', '-62135596800000', "timestamp_ntz'0001-01-01 00:00:00'"),
    ('timestamp_ntz from epoch_micros', '253402300799999999', "timestamp_ntz'9999-12-31 23:59:59.999999'"),
    ('timestamp_ntz from epoch_micros', '9223372036825200000', 'null'), ('timestamp_ntz from epoch_micros', '-1', "timestamp_ntz'1969-12-31 23:59:59.999999'"),
    ('timestamp_ntz from epoch_nanos', '1000', "timestamp_ntz'1970-01-01 00:00:00.000001'"), ('timestamp_ntz from epoch_nanos', '1', 'null'),
    ('timestamp', '2026-03-01 08:00:00', "timestamp'2026-03-01 00:00:00Z'", 'Asia/Shanghai'),
    ('timestamp', '2026-03-01 08:00:00.000001+08:00', "timestamp'2026-03-01 00:00:00.000001Z'", 'Europe/Berlin'),
    ('timestamp', '2026-03-01T08:00:00Z', "timestamp'2026-03-01 08:00:00Z'", 'Asia/Shanghai'),
    ('timestamp', '2026-03-01 08:00:00 Asia/Shanghai', "timestamp'2026-03-01 00:00:00Z'"),
    ('timestamp', '2026-10-25 02:30:00', "timestamp'2026-10-25 00:30:00Z'", 'Europe/Berlin'),
    ('timestamp', '2026-10-25 03:00:00', "timestamp'2026-10-25 02:00:00Z'", 'Europe/Berlin'),
    ('timestamp', '2026-03-29 01:59:59.999999', "timestamp'2026-03-29 00:59:59.999999Z'", 'Europe/Berlin'),
    ('timestamp', 'infinity', 'null'), ('timestamp', '0000-00-00 00:00:00', 'null'),
    ('timestamp from epoch_seconds', '1624614713.201', "timestamp'2021-06-25 09:51:53.201Z'", 'Asia/Shanghai'),
    ('timestamp from epoch_seconds', '1606233662.012345', "timestamp'2020-11-24 16:01:02.012345Z'"),
    ('timestamp from epoch_seconds', '0', "timestamp'1970-01-01 00:00:00Z'"), ('timestamp from epoch_seconds', '2026-03-01 08:00:00', "timestamp'2026-03-01 00:00:00Z'", 'Asia/Shanghai'),
] %}

with decoded as (
    {% for case in cases %}
    {%- set column = declared_column('c', case[0]) %}
    select
        {{ sql_string(case[0]) }} as declaration,
        text,
        cast({{ decode('text', column, sql_string(case[3] if case | length > 3 else 'UTC')) }} as string) as found,
        cast(cast({{ case[2] }} as {{ column.type }}) as string) as expected
    from (select {{ sql_string(case[1]) }} as text)
    {% if not loop.last %}union all{% endif %}
    {%- endfor %}
)

select *
from decoded
where not found <=> expected
