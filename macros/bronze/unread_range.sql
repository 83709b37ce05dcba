{#
    Delta's log tells what each version added, so neither the landing time nor the offsets of other
    topics matter, and nothing is read twice. Each event keeps the version up to which its run read
    (`bronze_version`). If the changes since then are unavailable, offsets decide, see
    unread_messages(): in target sample, whose bronze is rewritten by its seeds; once in a lake from
    an earlier version of the project; after a break so long that Delta may have removed changes; and
    if the log lacks a version, which happens if a clock was ahead and the break seems too short.
#}
{% macro unread_range(bronze, events) -%}
{%- set now = now_milliseconds() -%}
{%- set range = {
    'bronze': bronze, 'events': events, 'batch': now, 'last_batch': none, 'since': none, 'version': none,
} -%}
{#- a unit test's input is not a table -#}
{%- if not execute or bronze.is_cte -%}
{{ return(range) }}
{%- elif bronze.identifier not in formats_in_use() -%}
{%- do run_notes().idle.append(model.unique_id) -%}
{%- elif has_bronze_table(bronze) -%}
{%- if events is not none -%}
{#- before the version is read: unread_messages() has to notice another run that ends in between -#}
{%- do range.update({'last_batch': run_query('select max(parse_batch) from ' ~ events).columns[0][0] or 0}) -%}
{%- do range.update({'batch': [now, range.last_batch + 1] | max, 'since': _last_version(events, range.last_batch)}) -%}
{%- endif -%}
{%- if events is none and is_building() -%}
{%- do _check_that_nothing_was_dropped(bronze) -%}
{#- a clock may have been ahead, and the tables built from these events have seen those batches -#}
{%- do range.update({'batch': [now, _last_counted(bronze) + 1] | max}) -%}
{%- endif -%}
{%- set commits = newest_commits(bronze, 10) -%}
{%- do range.update({'version': commits.keys() | max}) -%}
{%- if range.since is not none and range.since > range.version -%}
{{ exceptions.raise_compiler_error(
    bronze ~ " is at version " ~ range.version ~ " and " ~ events ~ " has read version " ~ range.since
    ~ ": the bronze table is older than its events, or was recreated: restore the whole lake from one backup"
) }}
{%- endif -%}
{%- if range.since is not none and range.since != range.version -%}
{%- set count = range.version - range.since -%}
{%- if commits | length < count <= 1000 -%}
{%- do commits.update(newest_commits(bronze, count)) -%}
{%- endif -%}
{%- if _is_upkeep_since(range, commits) -%}
{%- do range.update({'version': range.since}) -%}
{%- elif (
    now - range.last_batch > 25 * 86400000
    or not _keeps_changes(bronze, range.since)
    or not _logs_all_since(bronze, range, commits)
) -%}
{%- do range.update({'since': none}) -%}
{%- endif -%}
{%- endif -%}
{%- endif -%}
{{ return(range) }}
{%- endmacro %}

{# The last batch that was counted of a format, 0 if there is none. #}
{% macro _last_counted(bronze) -%}
{%- set counts = built_relation('message_counts_by_day') -%}
{%- set of_format = ' where format = ' ~ sql_string(bronze.identifier) -%}
{{ return((run_query('select max(last_batch) from ' ~ counts ~ of_format).columns[0][0] if counts else none) or 0) }}
{%- endmacro %}

{# Raises an error if days that were counted are no longer in bronze, unless a variable allows that. #}
{% macro _check_that_nothing_was_dropped(bronze) -%}
{%- set counts = built_relation('message_counts_by_day') -%}
{%- if counts and target.name != 'sample' and not var('changelake_without_dropped_days', false) -%}
{%- set dropped_to = run_query(
    'select max(landed_date) from ' ~ counts ~ ' where format = ' ~ sql_string(bronze.identifier)
    ~ ' and landed_date not in (select landed_date from ' ~ bronze ~ ')'
).columns[0][0] -%}
{%- if dropped_to -%}
{{ exceptions.raise_compiler_error(
    bronze ~ ' no longer has what landed on ' ~ dropped_to ~ ', since maintain.py dropped old days: its events cannot be rebuilt completely.'
    ~ " To rebuild them from what is left: --vars 'changelake_without_dropped_days: true'"
) }}
{%- endif -%}
{%- endif -%}
{%- endmacro %}

{# The bronze version up to which a batch was read; none if an earlier version of the project read it. #}
{% macro _last_version(events, batch) -%}
{%- if 'bronze_version' not in adapter.get_columns_in_relation(events) | map(attribute='name') -%}
{{ return(none) }}
{%- endif -%}
{%- set found = run_query('select bronze_version from ' ~ events ~ ' where parse_batch = ' ~ batch ~ ' limit 1') -%}
{{ return(found.columns[0][0] if found.rows else none) }}
{%- endmacro %}

{# Whether Delta has the changes since a version: landing turns them on for tables from earlier versions of the project. #}
{% macro _keeps_changes(bronze, version) -%}
{%- set properties = table_properties(bronze) -%}
{{ return(
    properties.get('delta.enableChangeDataFeed') == 'true'
    and version >= properties.get('changelake_changes_since', 0) | int
) }}
{%- endmacro %}

{# Whether the log has every version since the last run; it is queried again only if the newest entries do not reach back. #}
{% macro _logs_all_since(bronze, range, commits) -%}
{%- set count = range.version - range.since -%}
{{ return(count <= commits | length or newest_commits(bronze, count) | length == count) }}
{%- endmacro %}

{# Whether all versions since the last run are upkeep, see maintain_bronze(), which adds no rows. #}
{% macro _is_upkeep_since(range, commits) -%}
{%- set new = commits.items() | selectattr(0, 'gt', range.since) | list -%}
{%- set others = new | rejectattr(1, 'in', ['OPTIMIZE', 'DELETE', 'SET TBLPROPERTIES']) | list -%}
{{ return(new | length == range.version - range.since and not others) }}
{%- endmacro %}
