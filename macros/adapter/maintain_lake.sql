{#
    The upkeep of a lake, a dbt operation for once a day or a week:

        dbt run-operation maintain_lake --target local

    - puts the small files of bronze together, of which each landing writes one (the runs do it for silver and state),
    - removes the files that no table needs any more, which Delta keeps for readers and for a look back,
    - ends tombstones, see remove_tombstones(), of tables without changes too,
    - drops old days of bronze, where that is asked for.

    It prints a line for each table of bronze that it has changed.

    Arguments:
        days (integer): files of silver and state that were replaced in the last so many days stay;
            Delta refuses less than 7.
        bronze_hours (integer): the same of bronze, in hours, at least 1. What replaced them has the same rows, so
            only queries that are running need them.
        bronze_days (integer): of bronze, days that are older than so many are dropped, see _drop_bronze_days(); none: they stay.
        like (string): of which tables, by a pattern of `show tables`: `orders*|canal_events`.
#}
{% macro maintain_lake(days=7, bronze_hours=24, bronze_days=none, like='*') -%}
{#- Delta lists a table's files by as many tasks, and by default these are ten thousand -#}
{%- do run_query('set spark.sql.sources.parallelPartitionDiscovery.parallelism = 8') -%}
{#- the samples' bronze is seeded -#}
{%- if target.name != 'sample' -%}
{%- do _maintain_bronze([bronze_hours, 1] | max, bronze_days, like) -%}
{%- endif -%}
{%- do _end_tombstones(like) -%}
{%- do _vacuum_tables(days, like) -%}
{%- endmacro %}

{% macro _maintain_bronze(hours, days, like) -%}
{%- for format in formats_in_use() -%}
{%- set bronze = source('bronze', format) -%}
{%- if has_bronze_table(bronze) and format in _tables_like(bronze.schema, like) -%}
{%- set before = _files_of(bronze) -%}
{%- if days is not none -%}
{%- do _drop_bronze_days(bronze, days) -%}
{%- endif -%}
{%- do optimize_table(bronze) -%}
{%- do _vacuum_bronze(bronze, hours) -%}
{%- set after = _files_of(bronze) -%}
{%- if after != before -%}
{{ print('bronze.' ~ format ~ ': ' ~ '{:,}'.format(before) ~ ' files before, ' ~ '{:,}'.format(after) ~ ' now') }}
{%- endif -%}
{%- endif -%}
{%- endfor -%}
{%- endmacro %}

{% macro _files_of(table) -%}
{{ return(run_query('describe detail ' ~ table).columns['numFiles'][0]) }}
{%- endmacro %}

{#
    Removes bronze's replaced files. The next build asks Delta what came after the version that the last
    one has read, and the accounting reads that very version: so what was replaced since that build
    stays. Where nothing was built everything does.
#}
{% macro _vacuum_bronze(bronze, hours) -%}
{%- set events = _events_of(bronze) -%}
{%- set last = run_query('select max(parse_batch) from ' ~ events).columns[0][0] if events else none -%}
{%- if last -%}
{#- a batch is as old as its run's beginning; an hour more, since a batch's time can be put up by one -#}
{%- set since = ((now_milliseconds() - last) / 3600000) | round(0, 'ceil') | int + 1 -%}
{%- do run_query('set spark.databricks.delta.retentionDurationCheck.enabled = false') -%}
{%- do run_query('vacuum ' ~ bronze ~ ' retain ' ~ ([hours, since] | max) ~ ' hours') -%}
{%- do run_query('set spark.databricks.delta.retentionDurationCheck.enabled = true') -%}
{%- endif -%}
{%- endmacro %}

{# The table of events of a bronze table; none where it is not there. #}
{% macro _events_of(bronze) -%}
{%- set node = graph.nodes['model.changelake.' ~ bronze.identifier ~ '_events'] -%}
{%- set found = adapter.get_relation(none, node.schema, node.alias) -%}
{{ return(found if found and found.type != 'view' else none) }}
{%- endmacro %}

{#
    Drops days of bronze whose messages are all parsed. A day with a reject or a waiting half stays, since those are
    read again. Events that were built anew would lack what was dropped, so unread_range() then refuses to.

    Delta refuses to change the properties while a landing commits, and the other way round; the loser is repeated
    by the next run.
#}
{% macro _drop_bronze_days(bronze, days) -%}
{%- set events = _events_of(bronze) -%}
{%- set today = modules.datetime.datetime.now(modules.pytz.utc).date() -%}
{%- set first_kept = today - modules.datetime.timedelta([days, 1] | max) -%}
{%- set dropped = run_query(
    'select messages.landed_date from (select landed_date, count(*) as landed from ' ~ bronze
    ~ " where landed_date < date'" ~ first_kept ~ "' group by landed_date) as messages"
    ~ ' inner join (select landed_date, count_if(row_index = 0) as parsed, '
    ~ "count_if(outcome in ('rejected', 'waiting')) as kept from " ~ events
    ~ " where landed_date < date'" ~ first_kept ~ "' group by landed_date) as events"
    ~ ' on messages.landed_date = events.landed_date and landed = parsed and kept = 0 order by 1'
).columns[0].values() if events else [] -%}
{%- if dropped -%}
{%- set properties = table_properties(bronze) -%}
{%- set last = [properties.get('changelake_dropped_to', ''), dropped | last | string] | max -%}
{#- before the rows go, so that a kill in between cannot leave it unsaid -#}
{%- do run_query(
    'alter table ' ~ bronze ~ " set tblproperties ('changelake_dropped_to' = '" ~ last ~ "', 'delta.appendOnly' = 'false')"
) -%}
{%- set literals = [] -%}
{%- for day in dropped -%}
{%- do literals.append("date'" ~ day ~ "'") -%}
{%- endfor -%}
{%- do run_query('delete from ' ~ bronze ~ ' where landed_date in (' ~ literals | join(', ') ~ ')') -%}
{{ print('bronze.' ~ bronze.identifier ~ ': dropped ' ~ dropped | length ~ ' days, up to ' ~ dropped | last) }}
{%- endif -%}
{%- endmacro %}

{% macro _end_tombstones(like) -%}
{%- set names = _tables_like(state_schema(), like) -%}
{%- for node in graph.nodes.values() if node.config.materialized == 'current_table' and node.alias in names -%}
{{ remove_tombstones(state_table(api.Relation.create(schema=node.schema, identifier=node.alias)), node.config.meta, now_milliseconds()) }}
{%- endfor -%}
{%- endmacro %}

{% macro _vacuum_tables(days, like) -%}
{%- set schemas = [state_schema()] -%}
{%- for node in graph.nodes.values() if node.resource_type == 'model' and node.package_name == 'changelake' and node.config.materialized in ('incremental', 'table') -%}
{%- do schemas.append(node.schema) -%}
{%- endfor -%}
{%- for schema in schemas | unique -%}
{%- for name in _tables_like(schema, like) -%}
{%- do run_query('vacuum ' ~ schema ~ '.' ~ sql_name(name) ~ ' retain ' ~ days * 24 ~ ' hours') -%}
{%- endfor -%}
{%- endfor -%}
{%- endmacro %}

{# The names of a schema's tables that match a pattern, without its views; none where it is not there. #}
{% macro _tables_like(schema, like) -%}
{%- set names = [] -%}
{%- if adapter.check_schema_exists(none, schema) -%}
{%- set views = view_names(schema) -%}
{%- do names.extend(run_query('show tables in ' ~ schema ~ ' like ' ~ sql_string(like)).columns['tableName'].values() | reject('in', views)) -%}
{%- endif -%}
{{ return(names) }}
{%- endmacro %}
