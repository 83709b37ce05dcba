{#
    The rows that a message of rows is about: those after the change, and those that a delete took away.

    Arguments:
        data, old (string): expressions of type array<map<string, string>>: the rows as they are, and
            those from before.
        deleted_rows (string): data or old, where a delete's rows stand; where it holds none, the
            other one's are taken.
#}
{% macro row_images(data, old, deleted_rows='data') -%}
if(
            operation = 'delete'
            and {% if deleted_rows == 'old' %}size({{ old }}) > 0{% else %}not coalesce(size({{ data }}) > 0, false){% endif %},
            {{ old }},
            {{ data }}
        )
{%- endmacro %}
