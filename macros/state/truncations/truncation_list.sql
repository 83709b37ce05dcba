{% macro truncation_list(truncations) -%}
array(
                {%- for truncation in truncations %}
                struct(
                    {%- for name, literal in truncation_literals(truncation).items() -%}
                    {{ literal }} as {{ name }}{{ ', ' if not loop.last }}
                    {%- endfor -%}
                ){{ ',' if not loop.last }}
                {%- endfor %}
            )
{%- endmacro %}
