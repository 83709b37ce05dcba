{% macro names_at_once(events, condition, names) -%}
select coalesce(bool_or(size(array_intersect(map_keys(coalesce(`after`, `before`)), array({{ names }}))) > 1), false) as are_at_once
from {{ events }}
where event_type = 'row'
    and {{ condition }}
{%- endmacro %}
