{#
    A delete keeps its own values, and a void change its own key: a later run that evaluates them again
    needs them as they came. So does what an earlier run settled, since the changes before it are not
    all known.
#}
{% macro folded_versions(relation, columns, key, in_order) -%}
folded as (
    select
        * except (
            {%- for column in columns %}
            _value_{{ loop.index }}, _text_{{ loop.index }}, _column_{{ loop.index }}{{ ',' if not loop.last }}
            {%- endfor %}
        ),
        {%- for column in columns %}
        {%- set own = '_row_change < 0 or is_settled' ~ (' or is_void' if column in key) %}
        if({{ own }}, _value_{{ loop.index }}, _column_{{ loop.index }}.value) as _value_{{ loop.index }},
        if({{ own }}, _text_{{ loop.index }}, _column_{{ loop.index }}.text) as _text_{{ loop.index }},
        if(
            is_settled,
            coalesce(array_contains(unknown_columns, {{ sql_string(column.name) }}), false),
            _row_change > 0 and not coalesce(_column_{{ loop.index }}.is_known, false)
        ) as _is_unknown_{{ loop.index }}{{ ',' if not loop.last }}
        {%- endfor %}
    from (
        select
            *,
            {%- for column in columns %}
            last(case
                when is_void then null
                when _row_change < 0 then struct(cast(null as {{ column.type }}) as value, cast(null as string) as text, false as is_known)
                when if(
                    is_settled,
                    not coalesce(array_contains(unknown_columns, {{ sql_string(column.name) }}), false),
                    _present is null or {{ holds_column('_present', column) }}
                )
                    then struct(_value_{{ loop.index }} as value, _text_{{ loop.index }} as text, true as is_known)
            end, true) over (partition by _key, _epoch {{ in_order }}) as _column_{{ loop.index }}{{ ',' if not loop.last }}
            {%- endfor %}
        from {{ relation }}
    )
)
{%- endmacro %}
