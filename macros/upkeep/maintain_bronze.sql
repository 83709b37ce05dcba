{% macro maintain_bronze(format, hours=24, drop_days=none) -%}
{%- set bronze = source('bronze', format) -%}
{%- if has_bronze_table(bronze) -%}
{%- do set_for_vacuum(is_checked='false') -%}
{%- set before = _files_of(bronze) -%}
{#- a kill while days were dropped leaves it off -#}
{%- do _set_append_only(bronze, 'true') if table_properties(bronze).get('delta.appendOnly') != 'true' -%}
{%- do _drop_days(bronze, drop_days) if drop_days is not none -%}
{%- do optimize_table(bronze) -%}
{%- do _vacuum(bronze, [hours, 1] | max) -%}
{%- set after = _files_of(bronze) -%}
{{ print('bronze.' ~ format ~ ': ' ~ '{:,}'.format(before) ~ ' files before, ' ~ '{:,}'.format(after) ~ ' now') if after != before }}
{%- endif -%}
{%- endmacro %}

{% macro _files_of(table) -%}
{{ return(run_query('describe detail ' ~ table).columns['numFiles'][0]) }}
{%- endmacro %}

{# While it is on, Delta refuses everything but appends. #}
{% macro _set_append_only(bronze, is_on) -%}
{%- do run_query('alter table ' ~ bronze ~ " set tblproperties ('delta.appendOnly' = '" ~ is_on ~ "')") -%}
{%- endmacro %}

{#
    Removes replaced files. The next build reads what came after the version that the last one has read,
    and the accounting reads that version itself: so files replaced after it are kept. If nothing has been built, all files
    are kept.
#}
{% macro _vacuum(bronze, hours) -%}
{%- set events = events_relation(bronze.identifier) -%}
{%- set read = run_query('select max(bronze_version) from ' ~ events).columns[0][0] if events else none -%}
{%- set newest = newest_commits(bronze, 1).keys() | max -%}
{%- if read is not none and newest - read < 10000 -%}
{%- set log = run_query('describe history ' ~ bronze ~ ' limit ' ~ (newest - read + 1)) -%}
{#- Delta's log may have lost it -#}
{%- for row in log.rows if row['version'] | int == read | int -%}
{%- set age = modules.datetime.datetime.now(modules.pytz.utc).replace(tzinfo=none) - row['timestamp'].replace(tzinfo=none) -%}
{%- set since = (age.total_seconds() / 3600) | round(0, 'ceil') | int + 1 -%}
{%- do run_query('vacuum ' ~ bronze ~ ' retain ' ~ ([hours, since] | max) ~ ' hours') -%}
{%- endfor -%}
{%- endif -%}
{%- endmacro %}

{#
    Drops days on which every message is parsed. A day with a reject or a waiting half stays, since those are
    read again. Rebuilt events would lack what was dropped, so unread_range() refuses to rebuild them.
#}
{% macro _drop_days(bronze, days) -%}
{%- set events = events_relation(bronze.identifier) -%}
{%- set today = modules.datetime.datetime.now(modules.pytz.utc).date() -%}
{%- set is_old -%}
landed_date < date'{{ today - modules.datetime.timedelta([days, 1] | max) }}'
{%- endset -%}
{%- set dropped = run_query('
    select messages.landed_date
    from ' ~ bronze ~ ' as messages
    left join ' ~ events ~ ' as events
        on messages.landed_date = events.landed_date
        and messages.kafka_topic = events.kafka_topic
        and messages.kafka_partition = events.kafka_partition
        and messages.kafka_offset = events.kafka_offset
        and events.row_index = 0
        and events.' ~ is_old ~ '
    where messages.' ~ is_old ~ "
    group by messages.landed_date
    having bool_and(coalesce(events.outcome not in ('rejected', 'waiting'), false))
    order by messages.landed_date
").columns[0].values() if events else [] -%}
{%- if dropped -%}
{%- do _set_append_only(bronze, 'false') -%}
{%- set literals = [] -%}
{%- for day in dropped -%}
{%- do literals.append("date'" ~ day ~ "'") -%}
{%- endfor -%}
{%- do run_query('delete from ' ~ bronze ~ ' where landed_date in (' ~ literals | join(', ') ~ ')') -%}
{%- do _set_append_only(bronze, 'true') -%}
{{ print('bronze.' ~ bronze.identifier ~ ': dropped ' ~ dropped | length ~ ' days, up to ' ~ dropped | last) }}
{%- else -%}
{{ print('bronze.' ~ bronze.identifier ~ ': dropped no days: none is more than ' ~ days ~ ' days old with all its messages parsed') }}
{%- endif -%}
{%- endmacro %}
