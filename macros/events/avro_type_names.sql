{#
    Names of types by the numbers that messages have for them, as arrays: of number n it is element
    n + 16, as some numbers are negative. A scalar subquery, evaluated once per run; Spark allows it in
    no lambda, so it stands in a column of its own.

    Arguments:
        types (string): a relation, or a select in parentheses, with the columns source_type, number,
            type_name, and bytes_type_name, the name where a value comes as bytes, if it is another.

    Returns: an expression of type map<string, array<struct<text: string, bytes: string>>>, by
        source_type.
#}
{% macro avro_type_names(types) -%}
(
            select map_from_entries(collect_list(struct(source_type, names)))
            from (
                select
                    source_type,
                    transform(
                        sequence(-16, max(number)),
                        n -> map_from_entries(collect_list(
                            struct(number, struct(type_name as text, {{ non_blank('bytes_type_name') }} as bytes))
                        ))[n]
                    ) as names
                from {{ types }}
                group by source_type
            )
        )
{%- endmacro %}
