{#
    What a DDL statement does to a table, from its first words, for the dialects that only say that
    it is DDL. Comments, case and semicolons in front are tolerated.

    Arguments:
        sql (string): an expression of type string, the statement.

    Returns: create, alter, drop, rename, index, truncate; other for what is none of these, as are
        the statements on databases, views, routines and users, and for null.
#}
{% macro ddl_operation(sql) -%}
{%- set name = '(?:`[^`]*`|"[^"]*"|\\[[^\\]]*\\]|[^\\s`"\\[.;]+)' -%}
{%- set name = name ~ '(?:\\s*\\.\\s*' ~ name ~ ')?' -%}
{%- set table = '(?:(?:or|replace|ignore|online|offline|global|local|private|temporary|temp|unlogged|external|foreign)\\s+)*tables?\\b' -%}
{%- set index = '(?:(?:or|replace|online|offline|unique|fulltext|spatial|bitmap|multivalue|clustered|nonclustered|columnstore)\\s+)*index\\b' -%}
{%- set first_words = [
    ('truncate', 'truncate\\b'),
    ('index', '(?:create|drop|alter)\\s+' ~ index),
    ('create', 'create\\s+' ~ table),
    ('drop', 'drop\\s+' ~ table),
    ('rename', 'rename\\s+(?!user\\b)'),
    ('rename', 'alter\\s+' ~ table ~ '\\s+(?:if\\s+exists\\s+)?(?:only\\s+)?' ~ name
        ~ '\\s+rename\\s+(?:(?:to|as)\\b|=|' ~ name ~ '[\\s;]*$)'),
    ('alter', 'alter\\s+' ~ table),
] -%}
case
        {%- for operation, words in first_words %}
        when regexp_replace({{ sql }}, r'(?s)/\*.*?\*/|--[^\n]*|(?:^|(?<=\s))#[^\n]*', ' ')
            rlike r'(?i)^[\s;]*{{ words }}' then '{{ operation }}'
        {%- endfor %}
        else 'other'
    end
{%- endmacro %}
