{#
    Other sets go through Java's own decoder: decode() knows only six sets unless a setting of Spark
    says otherwise, and fails the run at bytes that are invalid in the set.
#}
{% macro charset_text(bytes, charset) -%}
case
            when {{ charset }} in ({{ utf8_names() }})
                then cast({{ bytes }} as string)
            when lower({{ charset }}) = 'binary' then {{ base64_text(bytes) }}
            -- MySQL's latin1 is windows-1252, but no byte of it is invalid: five are controls. PostgreSQL's LATIN1 is not.
            when {{ charset }} = 'latin1'
                then translate(decode({{ bytes }}, 'ISO-8859-1'), '{{ _c1_controls() }}', '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ')
            else nullif(regexp_replace(
                try_reflect(
                    'java.net.URLDecoder', 'decode',
                    -- Java drops a byte order mark of UTF-32, but a text may begin with that character
                    concat(if(lower({{ charset }}) = 'utf32', '%00%00%FE%FF', ''), regexp_replace(hex({{ bytes }}), '(..)', '%$1')),
                    coalesce(
                        map(
                            {%- for name, java in _charsets().items() %}
                            '{{ name }}', '{{ java }}'{{ '' if loop.last else ',' }}
                            {%- endfor %}
                        )[lower({{ charset }})],
                        {{ charset }}
                    )
                ),
                r'(?s)^.*\uFFFD.*\z', '\uFFFD'
            ), '\uFFFD')
        end
{%- endmacro %}

{# The C1 controls of ISO-8859-1 in whose place windows-1252 has other characters. #}
{% macro _c1_controls() -%}
{%- for code in range(128, 160) if code not in (129, 141, 143, 144, 157) -%}\u00{{ '%x' % code }}{%- endfor -%}
{%- endmacro %}

{# Java's names of character sets that databases call differently. #}
{% macro _charsets() -%}
{{ return({
    'utf8mb4': 'UTF-8', 'utf8mb3': 'UTF-8', 'al32utf8': 'UTF-8', 'latin1': 'ISO-8859-1', 'latin2': 'ISO-8859-2', 'latin5': 'ISO-8859-9', 'latin7': 'ISO-8859-13',
    'greek': 'ISO-8859-7', 'hebrew': 'ISO-8859-8', 'koi8r': 'KOI8-R', 'koi8u': 'KOI8-U',
    'cp866': 'IBM866', 'cp850': 'IBM850', 'cp852': 'IBM852', 'cp932': 'windows-31j', 'sjis': 'Shift_JIS',
    'ujis': 'EUC-JP', 'eucjpms': 'x-eucJP-Open', 'euckr': 'EUC-KR', 'tis620': 'TIS-620', 'macroman': 'x-MacRoman',
    'macce': 'x-MacCentralEurope', 'us7ascii': 'US-ASCII', 'sql_ascii': 'US-ASCII',
    'ucs2': 'UTF-16BE', 'utf16': 'UTF-16BE', 'utf16le': 'UTF-16LE', 'utf32': 'UTF-32BE',
    'zhs16gbk': 'GBK', 'zhs32gb18030': 'GB18030', 'zht16big5': 'Big5', 'zht16mswin950': 'x-windows-950',
    'al16utf16': 'UTF-16BE', 'we8iso8859p1': 'ISO-8859-1', 'we8mswin1252': 'windows-1252',
    'ja16sjis': 'Shift_JIS', 'ja16euc': 'EUC-JP', 'ko16mswin949': 'x-windows-949',
    'win1250': 'windows-1250', 'win1251': 'windows-1251', 'win1252': 'windows-1252',
    'euc_cn': 'GB2312', 'euc_jp': 'EUC-JP', 'euc_kr': 'EUC-KR', 'euc_tw': 'x-EUC-TW',
}) }}
{%- endmacro %}
