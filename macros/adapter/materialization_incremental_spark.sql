{#
    dbt-spark's own, with less work in two cases:

    A model that has nothing to do, and has noted that in run_notes(), costs no statement. If its table
    does not exist either, as for a format without a feed, an empty view with the columns of its contract
    stands in for it; dbt-spark turns it into a table once there are rows. If a run builds all of silver,
    as after a change of the project, a table without pending batches gets its missing columns too: views
    may name them.

    An existing table gets its new rows in one statement that contains the model's select: dbt-spark would
    first create a view of it and query the view's columns, so that Spark analyzes it three times. This
    applies to models with a contract, which tells what columns a lake of an earlier version lacks. Others, in
    projects that use this one as a package, are built by dbt-spark; so is the merge that parses rejects
    again: its source reads the table in a subquery, which Delta allows only through a view.

    Rejects whose schema has become known are read again automatically, and merged: of two overlapping runs the
    second one has no rows, so nothing may be deleted to make room for them.
#}
{% materialization incremental, adapter='spark', supported_languages=['sql', 'python'] %}
{%- set existing = load_relation(this) -%}
{%- set strategy = config.get('incremental_strategy') -%}
{%- set has_contract = config.get('contract').enforced and config.get('on_schema_change') == 'append_new_columns' -%}
{%- if model.unique_id in run_notes().idle -%}
{%- if existing is none -%}
{%- call statement('main') -%}
create view {{ this }} as {{ get_empty_schema_sql(model.columns) }} where false
{%- endcall -%}
{{ return({'relations': [this.incorporate(type='view')]}) }}
{%- elif has_contract and not existing.is_view and seed_node('feeds').unique_id in selected_resources -%}
{%- do _add_new_columns(existing) -%}
{%- endif -%}
{%- call noop_statement('main', 'nothing new') -%}{%- endcall -%}
{{ return({'relations': [this]}) }}
{%- elif existing is none or existing.is_view or should_full_refresh() -%}
{%- do run_notes().made.append(model.unique_id) -%}
{{ return(dbt.materialization_incremental_spark()) }}
{%- elif not has_contract or strategy not in ('append', 'insert_overwrite') -%}
{{ return(dbt.materialization_incremental_spark()) }}
{%- endif -%}
{{ run_hooks(pre_hooks) }}
{%- do _add_new_columns(existing) -%}
{%- if strategy == 'insert_overwrite' and config.get('partition_by') -%}
{%- do run_query('set spark.sql.sources.partitionOverwriteMode = dynamic') -%}
{%- endif -%}
{%- if model.unique_id in run_notes().reread and not config.get('meta', {}).get('replaces') -%}
{%- set new = make_temp_relation(this, '__new') -%}
{%- call statement('create_view') -%}
{{ create_temporary_view(new, compiled_code) }}
{%- endcall -%}
{%- call statement('main') -%}
{{ dbt_spark_get_incremental_sql('merge', new, this, existing, config.get('unique_key'), none) }}
{%- endcall -%}
{%- else -%}
{%- call statement('main') -%}
{{ dbt_spark_get_incremental_sql(strategy, '(\n' ~ compiled_code ~ '\n)', this, existing, none, none) }}
{%- endcall -%}
{%- endif -%}
{%- do apply_grants(this, config.get('grants'), should_revoke(existing, full_refresh_mode=false)) -%}
{%- do persist_docs(this, model) -%}
{{ run_hooks(post_hooks) }}
{{ return({'relations': [this]}) }}
{% endmaterialization %}

{% macro _add_new_columns(relation) -%}
{%- set present = adapter.get_columns_in_relation(relation) | map(attribute='name') | list -%}
{%- set missing = [] -%}
{%- for column in model.columns.values() if column.name not in present -%}
{%- do missing.append(sql_name(column.name) ~ ' ' ~ column.data_type) -%}
{%- endfor -%}
{%- if missing -%}
{%- do run_query('alter table ' ~ relation ~ ' add columns (' ~ missing | join(', ') ~ ')') -%}
{%- endif -%}
{%- endmacro %}
