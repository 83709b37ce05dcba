{#
    dbt-spark's `show table extended` opens each table, which takes seconds for hundreds of them.
    All tables of this project are Delta's; those of a project that uses it as a package may not be.
    Only `dbt docs generate` reads columns from the result.
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
