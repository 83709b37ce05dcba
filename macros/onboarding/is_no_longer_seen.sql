{# Rows from before a column was added lack it too, and can arrive late: so the moment has to be later as well. #}
{% macro is_no_longer_seen(batch, moment, newest_batch, newest_moment) -%}
({{ batch }} < {{ newest_batch }} and coalesce({{ moment }} < {{ newest_moment }}, true))
{%- endmacro %}
