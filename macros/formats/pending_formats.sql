{#
    The statement names only those: a format for which nothing came costs a run nothing, and Delta
    skips the files of batches older than a literal. A model of events may have noted its last batch
    in this run, see unread_messages(); it is not queried again.
#}
{% macro pending_formats(built) -%}
{%- set pending = {} -%}
{%- set read = {} -%}
{%- set selects = [] -%}
{%- for format in (formats_in_use() if built is none else built_formats()) -%}
{%- set question = "select '" ~ format ~ "', max(parse_batch) from " ~ ref(format ~ '_events') -%}
{%- do selects.append(question) if format not in run_notes().parsed -%}
{%- endfor -%}
{%- if execute -%}
{%- if built is not none -%}
{%- do read.update(dict(run_query('select format, max(last_batch) from ' ~ built ~ ' group by format').rows | map('list'))) -%}
{%- endif -%}
{%- set newest = dict(run_query(selects | join(' union all ')).rows | map('list')) if selects else {} -%}
{%- do newest.update(run_notes().parsed) -%}
{%- for format in formats_in_use() if (newest[format] or 0) > read.get(format, 0) -%}
{%- do pending.update({format: read.get(format, 0)}) -%}
{%- endfor -%}
{%- if built is not none and not pending -%}
{%- do run_notes().idle.append(model.unique_id) -%}
{%- endif -%}
{%- endif -%}
{#- a model needs at least one select: this one returns nothing -#}
{%- set first = formats_in_use()[0] -%}
{{ return(pending or {first: read.get(first, 0)}) }}
{%- endmacro %}
