{% macro truncations_of(pending) -%}
{%- set selects = [] -%}
{%- if pending.state -%}
{%- do selects.append(_truncations('_', 'false', pending.state ~ ' where ' ~ is_truncation_marker())) -%}
{%- endif -%}
{%- if pending.has_truncations -%}
{%- do selects.append(_truncations('', 'true', pending.new_events ~ ' and ' ~ truncates_table())) -%}
{%- endif -%}
{{ selects | join('\nunion all\n') }}
{%- endmacro %}

{% macro _truncations(prefix, is_new, relation) -%}
select
    {{ truncation_struct(prefix) }} as truncation,
    {{ is_new }} as is_new,
    struct({{ prefix }}kafka_topic, {{ prefix }}kafka_partition) as place,
    {{ prefix }}kafka_offset as kafka_offset,
    {{ moment(prefix) }} as moment
from {{ relation }}
{%- endmacro %}
