{% macro row_images(data, old, deleted_rows='data') -%}
if(
            operation = 'delete'
            and {% if deleted_rows == 'old' %}size({{ old }}) > 0{% else %}not coalesce(size({{ data }}) > 0, false){% endif %},
            {{ old }},
            {{ data }}
        )
{%- endmacro %}
