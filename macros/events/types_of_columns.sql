{#
    Of `[{"name": "a", "type": "LONG"}]` the contract's `{"a": "LONG"}`. Four out of five bytes of
    it are the same in every message of a table; taking them out of the text costs a tenth of
    building the map. In a JSON text a name cannot hold what is taken out: its quotes are escaped.

    Arguments:
        columns (string): an expression of type string, as from_json gives a list as text: without
            blanks.
        in_order (boolean): each column has just these two fields, in this order: what else there is gives
            null, and is not read, for which Spark would not compile the step.
#}
{% macro types_of_columns(columns, in_order=false) -%}
{%- set joined -%}
replace(replace({{ columns }}, '"},{"name":', '",'), '","type":', '":')
{%- endset -%}
{%- set read = "from_json(" ~ columns ~ ", 'array<struct<name: string, type: string>>')" -%}
case
            when startswith({{ columns }}, '[{"name":"') and endswith({{ joined }}, '"}]')
                and not contains(substr({{ joined }}, 3), '{"') and not contains({{ joined }}, '"type":')
                then concat('{', substr({{ joined }}, 10, length({{ joined }}) - 10))
            {%- if not in_order %}
            -- a null among the names, which no map can have as a key, makes the condition null
            when not arrays_overlap({{ read }}.name, array(''))
                then nullif(to_json(map_from_entries({{ read }})), '{}')
            {%- endif %}
        end
{%- endmacro %}
