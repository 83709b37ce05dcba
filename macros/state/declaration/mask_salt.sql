{#
    The salt of the mask `hash`, empty where there is none. Spark's Java reads it from its environment
    while it hashes: it stands in no statement, so in no file of dbt's, no log and no plan.

    Returns: an expression of type string, which Spark takes for one that can change: it may stand in
    a select, in no join's condition and in no aggregate's argument.
#}
{% macro mask_salt() -%}
{#- a variable that is not set is read as `null` -#}
{%- set variable = "java_method('java.lang.System', 'getenv', 'CHANGELAKE_MASK_SALT')" -%}
if({{ variable }} = 'null', '', {{ variable }})
{%- endmacro %}
