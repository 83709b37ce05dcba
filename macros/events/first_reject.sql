{% macro first_reject(reasons, unreadable_detail=none) -%}
case
            when is_tombstone then null
            when unreadable is not null
                then named_struct('reason', unreadable, 'detail', {% if unreadable_detail %}{{ unreadable_detail }}{% else -%}
                case unreadable
                    when 'not_utf8' then 'the value is not UTF-8'
                    when 'not_a_json_object' then 'the value is JSON, but not an object'
                    when 'wrong_type' then 'a list or an object where this dialect has a single value, or the reverse'
                    else 'not one whole JSON document, or beyond 1,000 levels, 150,000 digits of a number or 50,000 letters of a name'
                end
                {%- endif %})
            {%- for reason, detail, condition in reasons %}
            when {{ condition }}
                then named_struct('reason', '{{ reason }}', 'detail', {{ detail }})
            {%- endfor %}
        end
{%- endmacro %}
