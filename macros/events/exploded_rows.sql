{% macro exploded_rows(relation, images, old, dropped=none) %}
select
    {{ relation }}.*,
    image.row_index,
    image.data,
    if(size({{ old }}) = size({{ images }}), get({{ old }}, image.row_index), null) as old
from {{ relation }}
lateral view outer posexplode(
    case
        when reject is null and event_type = 'row' then {{ images }}
        {%- if dropped %}
        when reject is null and operation = 'drop' then {{ dropped }}
        {%- endif %}
    end
) image as row_index, data
{%- endmacro %}
