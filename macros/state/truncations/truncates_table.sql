{# MariaDB and Oracle can recreate a table without a drop. #}
{% macro truncates_table() -%}
(event_type = 'truncate' or operation = 'drop' or (operation = 'create' and {{ without_comments('ddl') }} rlike r'(?i)^[\s;]*+create\s+or\s+replace\s+'))
{%- endmacro %}
