{# No lambda, since Spark does not compile it: only an empty map has the text {}. #}
{% macro lacks_rows(images) -%}
not coalesce(
                    if(
                        size({{ images }}) = 1,
                        size({{ images }}[0]) > 0,
                        size({{ images }}) > 1 and not array_contains(cast({{ images }} as array<string>), '{}')
                    ),
                    false
                )
{%- endmacro %}
