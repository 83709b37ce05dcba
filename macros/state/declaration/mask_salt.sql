{#
    Spark's Java process reads the salt from its environment while it hashes, so that it is in no
    statement, and so in no file of dbt, no log and no plan.
#}
{% macro mask_salt() -%}
{#- an unset variable is returned as `null` -#}
{%- set variable = "java_method('java.lang.System', 'getenv', 'CHANGELAKE_MASK_SALT')" -%}
if({{ variable }} = 'null', '', {{ variable }})
{%- endmacro %}
