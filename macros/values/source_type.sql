{% macro source_type(text) -%}
case
        when lower({{ text }}) in ('mysql', 'mariadb', 'postgresql', 'oracle', 'sqlserver', 'ob_mysql', 'ob_oracle')
            then lower({{ text }})
        {%- for name, pattern in [
            ('ob_mysql', '^oceanbase\\z'),
            ('ob_oracle', '^ob_in_oracle_mode\\z'),
            ('mysql', 'taurus|gaussdb.*mysql'),
            ('gaussdb', 'gauss'),
            ('postgresql', 'postgres'),
            ('sqlserver', 'sql[ _]server|^mssql'),
            ('db2', '^db2'),
        ] %}
        when lower({{ text }}) rlike r'{{ pattern }}' then '{{ name }}'
        {%- endfor %}
        else {{ non_blank('lower(' ~ text ~ ')') }}
    end
{%- endmacro %}
