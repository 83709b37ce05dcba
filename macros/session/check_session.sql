{# The project's profile sets these correctly; a server, or a person's own profile, may not. #}
{% macro check_session() -%}
{%- if execute -%}
{%- for name, value in {
    'spark.sql.ansi.enabled': 'false',
    'spark.sql.session.timeZone': 'UTC',
    'spark.sql.variable.substitute': 'false',
    'spark.sql.parser.escapedStringLiterals': 'false',
    'spark.sql.mapKeyDedupPolicy': 'LAST_WIN',
    'spark.databricks.delta.vacuum.enforceTimeTravelWithinDeletedFileRetentionDuration': 'false',
}.items() -%}
{%- set found = run_query('set ' ~ name).columns[1][0] -%}
{%- if found != value -%}
{{ exceptions.raise_compiler_error("Spark's session has " ~ name ~ "=" ~ found ~ ": set it to " ~ value ~ ", as profiles/profiles.yml does") }}
{%- endif -%}
{%- endfor -%}
{%- endif -%}
{%- endmacro %}
