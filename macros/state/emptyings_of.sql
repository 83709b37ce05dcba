{#
    Where a table was emptied: the points that its state remembers, and those of its new events.

    Arguments:
        news (dictionary): see batch_news().

    Returns: a select of emptying (see emptying_struct()), is_new (boolean), place (its topic and
    partition), kafka_offset and moment.
#}
{% macro emptyings_of(news) -%}
{%- set selects = [] -%}
{%- if news.state -%}
{%- do selects.append(_emptyings('_', 'false', news.state ~ ' where ' ~ is_emptying())) -%}
{%- endif -%}
{%- if news.is_emptied_now -%}
{%- do selects.append(_emptyings('', 'true', news.new_events ~ ' and ' ~ empties_table())) -%}
{%- endif -%}
{{ selects | join('\nunion all\n') }}
{%- endmacro %}

{% macro _emptyings(prefix, is_new, relation) -%}
select
    {{ emptying_struct(prefix) }} as emptying,
    {{ is_new }} as is_new,
    struct({{ prefix }}kafka_topic, {{ prefix }}kafka_partition) as place,
    {{ prefix }}kafka_offset as kafka_offset,
    {{ moment(prefix) }} as moment
from {{ relation }}
{%- endmacro %}
