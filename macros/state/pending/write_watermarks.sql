{#
    The statement that keeps the watermarks of the tables which a run has brought up to date, at its end;
    empty if none is new. See watermarks() and note_watermark().
#}
{% macro write_watermarks() -%}
{%- set new = run_notes().get('new_watermarks') -%}
{%- if execute and new -%}
alter schema state set dbproperties (
    {%- for key, value in new.items() %}
    '{{ key }}' = '{{ value }}'{{ ',' if not loop.last }}
    {%- endfor %}
)
{%- endif -%}
{%- endmacro %}
