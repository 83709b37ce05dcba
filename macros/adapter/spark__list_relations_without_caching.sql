{#
    The relations of a schema, as dbt-spark takes them. Its own `show table extended` opens each table, which
    takes seconds of hundreds. All tables of this project are Delta's; of a project that has it as a package
    nobody knows. Only `dbt docs generate` reads columns from what it says.

    Arguments:
        relation (relation): of the schema.

    Returns: a list of rows: schema, name, whether it is temporary, and what dbt-spark looks for in the text.
#}
{% macro spark__list_relations_without_caching(relation) -%}
{%- if flags.WHICH == 'generate' or project_name != 'changelake' -%}
{{ return(dbt.spark__list_relations_without_caching(relation)) }}
{%- endif -%}
{%- set views = view_names(relation.schema) -%}
{%- set relations = [] -%}
{%- for schema, name, is_temporary in run_query('show tables in ' ~ relation.schema).rows if not is_temporary -%}
{%- do relations.append([schema, name, is_temporary, 'Type: VIEW' if name in views else 'Provider: delta']) -%}
{%- endfor -%}
{{ return(relations) }}
{%- endmacro %}
