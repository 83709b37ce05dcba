{#
    Ends the run where Spark's session has other settings than the values' exactness stands on, or those
    by which what a message says is more than a text: Spark would put variables into it, or read another
    end of a literal. Delta's lets a build ask what came to bronze since a version of more than a week ago. The
    profile has them right; a server, or a profile of a person's own, may not.

    Errors: a compiler error that names the setting and its value.
#}
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
{{ exceptions.raise_compiler_error("Spark's session has " ~ name ~ "=" ~ found ~ ": it has to be " ~ value ~ ", see profiles/profiles.yml") }}
{%- endif -%}
{%- endfor -%}
{%- endif -%}
{%- endmacro %}
