{% macro dropped_tables(sql, database, table) -%}
{%- set name = '(?:`[^`]*+`|"[^"]*+"|[^\\s`".,;]++)' -%}
{%- set parts = "regexp_extract(name, r'^(?:(" ~ name ~ ")\\s*+\\.\\s*+)?+(" ~ name ~ ")\\z', %s)" -%}
transform(
        array_distinct(concat(
            array(struct({{ database }} as database, {{ table }} as name)),
            if(contains({{ sql }}, ','), transform(
                regexp_extract_all(
                    regexp_extract({{ without_comments(sql) }}, r'(?is)^[\s;]*+drop\s++tables?+\s++(?:if\s++exists\s++)?+(.*)\z', 1),
                    r'(?:^|,)\s*+({{ name }}(?:\s*+\.\s*+{{ name }})?+)',
                    1
                ),
                name -> struct(
                    coalesce(nullif(trim(r'`"', {{ parts % 1 }}), ''), {{ database }}) as database,
                    trim(r'`"', {{ parts % 2 }}) as name
                )
            ), array())
        )),
        dropped -> map('database', dropped.database, 'table', dropped.name)
    )
{%- endmacro %}
