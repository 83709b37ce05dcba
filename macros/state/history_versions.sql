{#
    The versions of the rows of one source table that the new events make, and those of earlier runs
    that they follow: every change of a key in order, typed, with the time from and to which it held.

    A key whose new changes all come after its known ones needs the last of these only. One whose
    changes come late is worked out again from all of its changes.

    Every change keeps its row, also one that makes no version: a repeat of what the producer has sent
    before, a delete, an image like the one before. Without it, what comes late could not find its
    place.

    Arguments:
        events (string): a select of the events with their feed's time zone, the model's SQL.
        table (dictionary): the meta of the current model.
        state (relation): the table of versions.
        news (dictionary): see history_news().

    Returns: a select of the columns of the table of versions: _key, the declared ones, _undecodable
    and history_metadata().
#}
{% macro history_versions(events, table, state, news) -%}
{%- set columns = declared_columns(table) -%}
{%- set folds = table.key and news.has_partial -%}
{%- set repeats = news.positions > 0 -%}
{%- set spread = news.state or news.partitions > 1 -%}
{%- set in_order -%}
order by _epoch{% if spread %}, block{% endif %}, struct(_kafka_offset, _row_change, _row_index)
{%- endset -%}
{%- set before = in_order ~ ' rows between unbounded preceding and 1 preceding' -%}
{%- set names = columns | map(attribute='name') | list -%}
{%- set shard = '_value_' ~ (names.index(table.shard) + 1) if table.shard else "''" -%}
{#- when the table was emptied for the first, second, … time -#}
{%- set emptied_at -%}
map({% for one in news.emptyings %}{{ sql_string(one.number ~ ' ' ~ one.shard) }}, timestamp{{ sql_string(one.changed_at) }}{{ ', ' if not loop.last }}{% endfor %})
{%- endset -%}
{%- set row -%}
struct({% for column in columns %}_value_{{ loop.index }}, _text_{{ loop.index }}, {% endfor %}_row_change, _epoch)
{%- endset -%}
with {{ key_changes(events, table, columns, news) }},

{{ typed_changes(columns, news) }},

{% if news.state -%}
{{ known_changes(columns, state, news) }},

{% endif -%}
all_changes as (
    select
        * except (_epoch),
        {{ times_emptied('_', news.emptyings, shard) if news.emptyings else 0 }} as _epoch
    from (
        select * from typed_changes
        {%- if news.state %}
        union all
        select * from known_changes
        {%- endif %}
    )
),

{% if spread -%}
{{ ordered_changes() }},

{% endif -%}
{{ repeated_changes('ordered_changes' if spread else 'all_changes', in_order, before, repeats) }},

{% if folds -%}
{{ folded_versions(columns, in_order) }},

{% endif -%}
-- a version begins and ends at a boundary
bounded as (
    select
        * except (_is_boundary, _row_count),
        case
            when is_settled then _is_boundary
            when is_repeat then false
            {%- if table.key %}
            -- an image like the one before
            when _row_change > 0 and is_no_further
                then not {{ row }} <=> last({{ 'if(is_repeat, null, ' ~ row ~ '), true' if repeats else row }}) over (partition by _key {{ before }})
            {%- endif %}
            else true
        end as _is_boundary,
        {% if table.key -%}
        _row_count
        {%- else -%}
        if(is_settled, _row_count, sum(case
            when is_repeat then 0
            when not is_settled then _row_change
            when _is_last then _row_count
            else 0
        end) over (partition by _key, _epoch {{ in_order }}))
        {%- endif %} as _row_count
    from {{ 'folded' if folds else 'repeated' }}
),

begun as (
    select
        * except (_valid_from, _is_last, _sequence),
        max(case
            when is_settled then _valid_from
            when _is_boundary then {{ 'greatest(_changed_at, ' ~ emptied_at ~ "[concat(_epoch - 1, ' ', " ~ shard ~ ')])' if news.emptyings else '_changed_at' }}
        end) over (partition by _key {{ in_order }}) as _valid_from,
        lead(true) over (partition by _key {{ in_order }}) is null as _is_last,
        coalesce(max(_sequence) over (partition by _key {{ in_order }}), 0)
            + count_if(not is_settled) over (partition by _key {{ in_order }}) as _sequence
    from bounded
),

ended as (
    select
        *,
        {% if news.emptyings -%}
        {{ emptied_at }}[concat(_epoch, ' ', {{ shard }})] as _epoch_end,
        {% endif -%}
        lead(struct(_valid_from, _epoch)) over (partition by _key, _is_boundary {{ in_order }}) as next
    from begun
)

select
    _key,
    {%- for column in columns %}
    _value_{{ loop.index }} as {{ sql_name(column.name) }},
    {%- endfor %}
    {{ undecodable_map(columns, '(_text_{i} is not null' ~ (' or _is_unknown_{i}' if folds) ~ ')', '_text_{i}') }} as _undecodable,
    case
        when not _is_boundary or coalesce(_row_count, _row_change) <= 0 then null
        when next._epoch = _epoch then next._valid_from
        {%- if news.emptyings %}
        else if(_epoch_end is null, null, greatest(_valid_from, _epoch_end))
        {%- endif %}
    end as _valid_to,
    {{ history_metadata() | reject('equalto', '_valid_to') | join(',\n    ') }}
from ended
{{- emptying_rows(columns, news.emptyings, history_metadata(), {
    '_operation': "'truncate'",
    '_row_change': -1,
    '_is_spread': 'false',
    '_is_boundary': 'false',
    '_is_last': 'false',
    '_batch': news.batch,
}) }}
{%- endmacro %}
