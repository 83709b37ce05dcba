{% macro void_changes(columns, key, before) -%}
{%- set others -%}
struct(
                {%- for column in columns if column not in key -%}
                {{ comparable_value('_value_' ~ (columns.index(column) + 1), column) }}, _text_{{ columns.index(column) + 1 }}{{ ', ' if not loop.last }}
                {%- endfor -%}
            )
{%- endset -%}
judged as (
    select
        * except (moved_in, is_void),
        is_void or coalesce(
            not is_settled and _row_change < 0 and _is_move
            and moved_in is not null and {{ is_one_moment('moved_in._', '_') }} and not moved_in.others <=> {{ others }},
            false
        ) as is_void
    from (
        select
            *,
            -- the last earlier change that does not remove a row by a key change
            last(if(
                _is_move and _row_change < 0,
                null,
                struct(if(_is_move, struct(_committed_at, _changed_at, {{ others }} as others), null) as moved_in)
            ), true) over (partition by _key, _epoch {{ before }}).moved_in as moved_in
        from repeated
    )
)
{%- endmacro %}
