{#
    The relations of a schema, as dbt-spark takes them. Its own `show table extended` opens each table, which
    takes seconds of hundreds; of all tables here the provider is Delta, and a view is told by its name.
    Only `dbt docs generate` reads their columns from what it says.

    Arguments:
        relation (relation): of the schema.

    Returns: a list of rows: schema, name, whether it is temporary, and what dbt-spark looks for in the text.
#}
{% macro spark__list_relations_without_caching(relation) -%}
{%- if flags.WHICH == 'generate' -%}
{{ return(dbt.spark__list_relations_without_caching(relation)) }}
{%- endif -%}
{%- set views = run_query('show views in ' ~ relation.schema).rows | map(attribute=1) | list -%}
{%- set relations = [] -%}
{%- for schema, name, is_temporary in run_query('show tables in ' ~ relation.schema).rows -%}
{%- do relations.append([schema, name, is_temporary, 'Type: VIEW' if name in views else 'Provider: delta']) -%}
{%- endfor -%}
{{ return(relations) }}
{%- endmacro %}
