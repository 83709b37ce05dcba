{#
    The rows of messages that hold several: one row of the result for each, and one for a message
    that holds none, a reject or DDL, so that it is not lost.

    Arguments:
        relation (string): a CTE with the columns `reject` and `event_type`.
        images (string): an expression over it of type array<map<string, string>>: the rows that a
            message is about.
        old (string): one of the same type: the rows from before, in the same order. Where it has
            not as many, it is not known which of them they are.

    Returns: a select of the relation's columns, and
        row_index (int): the row's place, null where there is none
        data, old (map<string, string>): the row and the one from before
#}
{% macro exploded_rows(relation, images, old) %}
select
    {{ relation }}.*,
    image.row_index,
    image.data,
    if(size({{ old }}) = size({{ images }}), get({{ old }}, image.row_index), null) as old
from {{ relation }}
lateral view outer posexplode(
    case when reject is null and event_type = 'row' then {{ images }} end
) image as row_index, data
{%- endmacro %}
