{# Rows from before a column came lack it too, and can come late: so the moment has to be a later one as well. #}
{% macro is_no_longer_seen(batch, moment, newest_batch, newest_moment) -%}
({{ batch }} < {{ newest_batch }} and coalesce({{ moment }} < {{ newest_moment }}, true))
{%- endmacro %}
