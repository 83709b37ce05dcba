{#
    Each value is an aggregate over a key's changes in one partition (of_changes), and one over the results
    of its partitions (of_partitions). A struct with a change's place needs no second one: the newest counts.
#}
{% macro last_changes(table, pending, columns, document) -%}
{%- set partial = table.key and pending.partial_rows -%}
{%- set change = change_struct(pending, table) -%}
{%- set values = [{'name': 'last', 'of_changes': last_change(pending, table)}] -%}
{%- if table.key -%}
{%- set stays = 'is_upsert or not is_move' -%}
{%- set stayed = newest_in_partition(position_order('', is_upsert='is_upsert'), stays) if pending.is_spread
    else 'max(' ~ offset_order() ~ ') filter (where ' ~ stays ~ ')' -%}
{%- do values.extend([
    {'name': 'moved_in', 'of_changes': newest_in_partition(change, 'is_move and is_upsert')},
    {'name': 'stayed', 'of_changes': stayed, 'of_partitions': 'max(stayed)'},
]) -%}
{%- if partial and not document -%}
{%- set is_whole = '(' ~ stays ~ ') and not (is_upsert and is_partial)' -%}
{%- do values.append({
    'name': 'stayed_whole',
    'of_changes': newest_in_partition(position_order('', is_upsert='is_upsert'), is_whole) if pending.is_spread
        else 'max(' ~ offset_order() ~ ') filter (where ' ~ is_whole ~ ')',
    'of_partitions': 'max(stayed_whole)',
}) -%}
{%- endif -%}
{%- else -%}
{%- do values.append({
    'name': 'row_count',
    'of_changes': 'cast(sum(if(is_upsert, 1, -1)) as bigint)',
    'of_partitions': 'sum(last_by_partition.row_count)',
}) -%}
{%- endif -%}
{%- if document -%}
{%- do values.append({
    'name': 'partials',
    'of_changes': 'collect_list(' ~ change ~ ') filter (where is_upsert and is_partial)',
    'of_partitions': 'flatten(collect_list(partials))',
}) -%}
{%- elif partial -%}
{%- do values.extend(newest_parts(pending, table, columns)) -%}
{%- endif -%}
{{ 'last_by_partition' if pending.is_spread else 'last_by_key' }} as (
    select
        _key
        {%- for value in values %},
        {{ value.of_changes }} as {{ value.name }}
        {%- endfor %}
    from {{ '(select *, struct(' ~ change_place(pending) ~ ') as at from changes)' if partial and not document else 'changes' }}
    group by _key{{ ', kafka_topic, kafka_partition' if pending.is_spread }}
),

{% if pending.is_spread -%}
-- after a key change, a key's events can be in several partitions
last_by_key as (
    select
        _key
        {%- for value in values %},
        {%- set newest = 'max_by(' ~ value.name ~ ', ' ~ (value.place or value.name) ~ '.across_partitions)' %}
        {{ value.of_partitions or newest }} as {{ value.name }}
        {%- endfor %}
        {%- if partial %},
        count(*) = 1 as is_one_partition
        {%- endif %}
    from last_by_partition
    group by _key
),

{% endif -%}
last_changes as (
    {%- if table.key %}
    select
        * except (last, moved_in),
        {{ staying_change(pending, partial and not document) }} as last
    from last_by_key
    {%- else %}
    select * from last_by_key
    {%- if not pending.state %}
    -- later, a row of the state that went and came is needed: a late truncation may be in between
    where row_count != 0
    {%- endif %}
    {%- endif %}
)
{%- endmacro %}
