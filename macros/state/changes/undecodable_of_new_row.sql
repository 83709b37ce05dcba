{% macro undecodable_of_new_row(columns, prefix='') -%}
case
        when {{ prefix }}_present is null or {{ prefix }}_is_deleted then {{ prefix }}_undecodable
        when size({{ prefix }}_present) < {{ columns | length }} then map_concat(
            coalesce({{ prefix }}_undecodable, cast(map() as map<string, string>)),
            map_from_entries(transform(
                array_except(array({{ sql_strings(columns) | join(', ') }}), {{ prefix }}_present),
                name -> struct(name as key, cast(null as string) as value)
            ))
        )
        else {{ prefix }}_undecodable
    end
{%- endmacro %}
