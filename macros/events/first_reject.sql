{#
    Why a message is a reject: the first of the reasons that holds, else null; never a tombstone.

    Arguments:
        reasons (list of [reason, detail, condition]): the code of the reason, an SQL expression of
            type string that tells a reader what is wrong, and the SQL condition. The unreadable
            ones of json_envelope() stand in front without being named.
        unreadable_detail (string): an expression of type string, the detail of an unreadable value;
            none: that of json_envelope().

    Returns: an expression of type struct<reason: string, detail: string>.
#}
{% macro first_reject(reasons, unreadable_detail=none) -%}
{%- set details = {
    'not_utf8': 'the value is not UTF-8',
    'not_a_json_object': 'the value is JSON, but no object',
    'wrong_type': 'a list or an object stands where this dialect has none, or the reverse',
    'malformed_json': 'not one whole JSON document, or beyond 1,000 levels or digits of a number',
} -%}
case
            when is_tombstone then null
            {%- if unreadable_detail %}
            when unreadable is not null
                then named_struct('reason', unreadable, 'detail', {{ unreadable_detail }})
            {%- else %}
            {%- for reason, detail in details.items() %}
            when unreadable = '{{ reason }}'
                then named_struct('reason', unreadable, 'detail', '{{ detail }}')
            {%- endfor %}
            {%- endif %}
            {%- for reason, detail, condition in reasons %}
            when {{ condition }}
                then named_struct('reason', '{{ reason }}', 'detail', {{ detail }})
            {%- endfor %}
        end
{%- endmacro %}
