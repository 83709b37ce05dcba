{# Spark does not allow a scalar subquery in a lambda, so callers put it in a column. #}
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
