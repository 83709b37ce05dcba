{#
    A current table: the state table (every key, deleted ones as tombstones) and the view of its
    live rows. The model's SQL, by rebuild_table(), gives the keys that changed; one MERGE lays them
    over the state, and only where they are newer than what stands there, so that a late or repeated
    change is no change. The first run, and a full refresh, write the state table anew.

    dbt-spark's own incremental materialization knows no condition on `matched`, and would cost a
    second model for the view.
#}
{% materialization current_table, adapter='spark' -%}
{%- set table = config.get('meta') -%}
{%- set state = state_table(this) -%}
{%- set columns = table.columns.keys() | list -%}
{%- set news = state_news(sql, table, state) -%}
{{ run_hooks(pre_hooks) }}
{%- if state_exists(state) -%}
{%- do add_missing_columns(state, table) -%}
{%- call statement('main') -%}
{{ merge_changes(state, table, rebuild_table(sql, table, news), news) if news.batch else 'select 1' }}
{%- endcall -%}
{%- else -%}
{%- do run_query('create schema if not exists ' ~ state.schema) -%}
{%- call statement('main') -%}
create or replace table {{ state }}
using delta
tblproperties (
    {{ state_properties() }}
)
as
select
    _key,
    {%- for name in columns %}
    {{ sql_name(name) }},
    {%- endfor %}
    {{ undecodable_of_new_row(columns) if news.partial_rows and table.key else '_undecodable' }} as _undecodable,
    * except (
        _key,
        {%- for name in columns %}
        {{ sql_name(name) }},
        {%- endfor %}
        _undecodable,
        _present
    )
from (
{{ rebuild_table(sql, table, news) }}
)
{%- endcall -%}
{%- endif -%}
{%- call statement('view') -%}
create or replace view {{ this }} as
select
    {%- for name in columns %}
    {{ sql_name(name) }},
    {%- endfor %}
    _undecodable,
    _committed_at,
    _feed,
    _kafka_topic,
    _kafka_partition,
    _kafka_offset
    {%- if not table.key %},
    _row_count
    {%- endif %}
from {{ state }}
where {{ 'not _is_deleted' if table.key else '_row_count > 0' }}
{%- endcall -%}
{{ run_hooks(post_hooks) }}
{{ return({'relations': [this.incorporate(type='view')]}) }}
{%- endmaterialization %}
