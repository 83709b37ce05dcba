{#
    The messages with their halves of updates joined: of an update that came as two messages each
    knows both images, in whatever order and however often they came: the first one before belongs
    to the first one after, the second to the second.

    Only what may be a half is brought together by its update, which moves the data. The condition
    stands on the message's text, so that Spark decides it before it reads the JSON, and reads each
    message once.

    Arguments:
        relation (string): a CTE with the columns of parse_dataworks_streamx()'s step `classified`.

    Returns: a select of the relation's columns, row_before and row_after of the whole update, and
        half (string): before or after, of which update the message holds one image; else null
        is_joined (boolean): the other half is there
        is_first_half (boolean): the other half is there, and came later
#}
{% macro _dataworks_streamx_pairs(relation) %}
select
    * except (may_be_half, row_before, row_after),
    row_before,
    row_after,
    {{ _dataworks_streamx_half() }} as half,
    false as is_joined,
    false as is_first_half
from {{ relation }}
where not may_be_half
union all
select
    * except (may_be_half, row_before, row_after, half, of_update, pair_number),
    if(half is null, row_before, first_value(row_before, true) over pair) as row_before,
    if(half is null, row_after, first_value(row_after, true) over pair) as row_after,
    half,
    count(*) over pair = 2 as is_joined,
    -- offsets of two partitions cannot be compared: across them the producer's order counts
    count(*) over pair = 2 and if(
        min(kafka_partition) over pair = max(kafka_partition) over pair,
        kafka_offset < max(kafka_offset) over pair,
        half = 'before'
    ) as is_first_half
from (
    select
        *,
        row_number() over (partition by of_update, half order by landed_at, kafka_offset, kafka_partition) as pair_number
    from (
        select
            *,
            -- other messages stay alone
            if(
                half is null,
                array(feed, kafka_topic, string(kafka_partition), string(kafka_offset)),
                array(feed, kafka_topic, database_name, schema_name, table_name, sequence_id)
            ) as of_update
        from (
            select
                *,
                {{ _dataworks_streamx_half() }} as half
            from {{ relation }}
            where may_be_half
        )
        distribute by of_update
    )
)
window pair as (partition by of_update, pair_number)
{% endmacro %}

{% macro _dataworks_streamx_half() -%}
case
        when reject is not null or operation is distinct from 'update' then null
        when row_after is null then 'before'
        when row_before is null then 'after'
    end
{%- endmacro %}

{#
    Whether a message's text may be half of an update: it names an operation of one, and it is not
    written as a message with the row before is.
#}
{% macro _dataworks_streamx_may_be_half(json) -%}
coalesce(
            contains({{ json }}, 'UPDATE_')
            and (not contains({{ json }}, '"before":{"dataColumn":{"') or not contains({{ json }}, '"after":{"dataColumn":{"')),
            false
        )
{%- endmacro %}
