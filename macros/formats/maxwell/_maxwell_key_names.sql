{#
    The names of the key's columns in Maxwell's Kafka key: `{"database":…,"table":…,"pk.id":1}`, where a table
    has no key `_uuid` in the place of its columns, or `["database","table",[{"id":1}]]`.

    Arguments:
        key (string): an expression of type string; any text, the key may be another producer's.
        fields (string): an expression of type array<string>: its fields where it is a JSON object.

    Returns: an expression of type array<string>; empty: the table has no key; null: the key does not say.
#}
{% macro _maxwell_key_names(key, fields) -%}
{%- set listed = "get_json_object(" ~ key ~ ", '$[2]')" -%}
case
            when {{ fields }} = array('database', 'table', '_uuid') then array()
            when get({{ fields }}, 1) = 'table' and get({{ fields }}, 2) like 'pk.%'
                -- names in MySQL cannot contain U+0000
                then split(replace(substr(array_join(slice({{ fields }}, 3, size({{ fields }}) - 2), '\u0000'), 4), '\u0000pk.', '\u0000'), '\u0000')
            when startswith({{ key }}, '[') and {{ listed }} = '[]' then array()
            -- one object per column, merged into one
            when startswith({{ key }}, '[') then json_object_keys(replace(substr({{ listed }}, 2, length({{ listed }}) - 2), '},{', ','))
        end
{%- endmacro %}
