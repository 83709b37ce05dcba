{#
    One expression replaces the statement by the word that names what it does: Spark compiles a
    step's expressions into one method, and Java stops compiling a method that gets too long.
#}
{% macro ddl_operation(sql) -%}
{%- set name = '(?:`[^`]*`|"[^"]*"|\\[[^\\]]*\\]|[^\\s`"\\[.;]+)' -%}
{%- set name = name ~ '(?:\\s*\\.\\s*' ~ name ~ ')?' -%}
{%- set table = '(?:(?:or|replace|ignore|online|offline|global|local|unlogged|external|foreign)\\s+)*+tables?\\b' -%}
{%- set index = '(?:(?:or|replace|online|offline|unique|fulltext|spatial|bitmap|multivalue|clustered|nonclustered|columnstore)\\s+)*+' -%}
{%- set first_words = [
    '(truncate)\\b',
    '(?:create|drop|alter)\\s+' ~ index ~ '(index)\\b',
    '(create)\\s+' ~ table,
    '(drop)\\s+' ~ table,
    '(rename)\\s+(?!user\\b)',
    'alter\\s+' ~ table ~ '\\s+(?:if\\s+exists\\s+)?(?:only\\s+)?' ~ name
        ~ '\\s+(rename)\\s+(?:(?:to|as)\\b|=|' ~ name ~ '[\\s;]*\\z)',
    '(alter)\\s+' ~ table,
] -%}
case
            when {{ sql }} != '' then coalesce(
                nullif(lower(regexp_replace(
                    {{ without_comments(sql) }},
                    r'(?is)^[\s;]*(?:{{ first_words | join('|') }}|).*\z',
                    '$1$2$3$4$5$6$7'
                )), ''),
                'other'
            )
            else 'other'
        end
{%- endmacro %}
