{#
    A history table: the table of versions in the schema `state`, and the view of them. The model
    names its current model, whose declaration counts here too: `meta: {'current': '<model>'}`. The
    first run, and a full refresh, write the versions anew.
#}
{% materialization history_table, adapter='spark' -%}
{%- set table = graph.nodes.values()
    | selectattr('resource_type', 'equalto', 'model')
    | selectattr('name', 'equalto', config.get('meta').current)
    | map(attribute='config.meta') | first -%}
{%- if document_column(table.columns) -%}
{{ exceptions.raise_compiler_error(model.name ~ ": versions of documents that come as patches are not there yet; remove this model") }}
{%- endif -%}
{%- set state = state_table(this, '__history') -%}
{%- set columns = table.columns.keys() | list -%}
{%- set news = history_news(sql, table, state) -%}
{{ run_hooks(pre_hooks) }}
{%- if news.has_known -%}
{%- do add_missing_columns(state, table) -%}
{%- call statement('main') -%}
{{ merge_versions(state, columns, history_versions(sql, table, state, news)) if news.batch else 'select 1' }}
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
{{ history_versions(sql, table, state, news) }}
{%- endcall -%}
{%- endif -%}
{%- call statement('view') -%}
create or replace view {{ this }} as
select
    {%- for name in columns %}
    {{ sql_name(name) }},
    {%- endfor %}
    _undecodable,
    _operation,
    _valid_from,
    _valid_to,
    _valid_to is null as _is_current,
    _committed_at,
    _feed,
    _kafka_topic,
    _kafka_partition,
    _kafka_offset
    {%- if not table.key %},
    _row_count
    {%- endif %}
from {{ state }}
where _is_boundary and coalesce(_row_count, _row_change) > 0
{%- endcall -%}
{{ run_hooks(post_hooks) }}
{{ return({'relations': [this.incorporate(type='view')]}) }}
{%- endmaterialization %}
