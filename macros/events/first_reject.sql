{#
    Why a message is a reject: the first of the reasons that holds, else null; never a tombstone.

    Arguments:
        reasons (list of [reason, detail, condition]): the code of the reason, an SQL expression of
            type string that tells a reader what is wrong, and the SQL condition. The unreadable
            ones of json_envelope() stand in front without being named.
        unreadable_detail (string): an expression of type string, the detail of an unreadable value.

    Returns: an expression of type struct<reason: string, detail: string>.
#}
{% macro first_reject(reasons, unreadable_detail="'the value is not one whole JSON object in UTF-8'") -%}
case
            when is_tombstone then null
            when unreadable = 'wrong_type'
                then named_struct('reason', unreadable, 'detail', 'a list or an object stands where this dialect has none, or the reverse')
            when unreadable is not null
                then named_struct('reason', unreadable, 'detail', {{ unreadable_detail }})
            {%- for reason, detail, condition in reasons %}
            when {{ condition }}
                then named_struct('reason', '{{ reason }}', 'detail', {{ detail }})
            {%- endfor %}
        end
{%- endmacro %}
