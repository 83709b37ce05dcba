{#
    The key: the primary one, else the row's id that the producer adds to tables without one; both
    databases reserve its name.
#}
{% macro _dataworks_streamx_key() -%}
case
            when size(primary_key) > 0 then primary_key
            {%- for name in ['#alibaba_rds_row_id#', 'rowid', 'ROWID'] %}
            when map_contains_key(coalesce(row_after, row_before), '{{ name }}')
                {%- if name != '#alibaba_rds_row_id#' %} and source_type like '%oracle'{% endif %} then array('{{ name }}')
            {%- endfor %}
            else array()
        end
{%- endmacro %}
