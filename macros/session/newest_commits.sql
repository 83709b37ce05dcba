{% macro newest_commits(table, count) -%}
{%- set found = run_query('describe history ' ~ table ~ ' limit ' ~ count) -%}
{%- set commits = {} -%}
{%- for row in found.rows -%}
{%- do commits.update({row['version'] | int: row['operation']}) -%}
{%- endfor -%}
{{ return(commits) }}
{%- endmacro %}
