{#
    The steps that take the declared columns' texts out of an image and decode them.

    Arguments:
        relation (string): a CTE.
        columns (list of dictionaries): the declared columns, see declared_column().
        image (string): an expression over it of type map<string, string>.
        time_zone (string): an expression over what is kept: the zone of values without one.
        kept (list of string): the select's other columns.

    Returns: CTEs, the last of them `decoded`: what is kept, and of each column _text_<number> and
    _value_<number>, null where the type cannot hold the text.
#}
{% macro decoded_images(relation, columns, image, time_zone, kept) -%}
texts as (
    select
        {{ kept | join(',\n        ') }}
        {%- for column in columns %},
        {{ image_text(image, column) }} as _text_{{ loop.index }}
        {%- endfor %}
    from {{ relation }}
),

decoded as (
    select
        *
        {%- for column in columns %},
        {{ decode('_text_' ~ loop.index, column, time_zone) }} as _value_{{ loop.index }}
        {%- endfor %}
    from texts
)
{%- endmacro %}
