{#
    Removes the files that no table of silver and state needs any more: each run replaces some, and
    Delta keeps those for readers and for a look back. A dbt operation, for once a day or a week:

        dbt run-operation vacuum_lake --target local

    Bronze has none: nothing there is ever replaced.

    Arguments:
        days (integer): files that were replaced in the last so many days stay; Delta refuses less
            than 7.
#}
{% macro vacuum_lake(days=7) -%}
{%- for schema in ['silver', 'state'] if adapter.check_schema_exists(none, schema) -%}
{%- for relation in adapter.list_relations_without_caching(api.Relation.create(schema=schema)) if not relation.is_view -%}
{%- do run_query('vacuum ' ~ relation ~ ' retain ' ~ days * 24 ~ ' hours') -%}
{%- endfor -%}
{%- endfor -%}
{%- endmacro %}
