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
