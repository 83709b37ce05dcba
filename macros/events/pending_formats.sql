{#
    The formats with batches of events that a model has not read yet, so that its statement names those
    and no others: a format that nothing came for costs a run nothing, and Delta skips the files of
    batches that are older than a literal.

    Arguments:
        built (relation): the model, with the columns format and last_batch, as it is before this
            run; none if it is built anew.
        counts (relation): what holds the batches by format, with the same columns; none: the events
            themselves are asked, each of their tables.

    Returns: a dictionary: format → the last batch that the model has read, 0 if none. Where nothing
    came it holds one format, since a statement has to read something, and the model is idle, see
    run_notes().
#}
{% macro pending_formats(built, counts=none) -%}
{%- set latest = [] -%}
{%- for format in formats_in_use() -%}
{%- do latest.append("select '" ~ format ~ "' as format, max(parse_batch) as batch from " ~ ref(format ~ '_events')) -%}
{%- endfor -%}
{%- set pending = {} -%}
{%- set read = {} -%}
{%- if execute -%}
{%- if built is not none -%}
{%- do read.update(_last_batches(built)) -%}
{%- endif -%}
{%- set batches = _last_batches(counts) if counts else dict(run_query(latest | join(' union all ')).rows | map('list')) -%}
{%- for format, batch in batches.items() if batch and batch > read.get(format, 0) -%}
{%- do pending.update({format: read.get(format, 0)}) -%}
{%- endfor -%}
{%- if built is not none and not pending -%}
{%- do run_notes().idle.append(model.unique_id) -%}
{%- endif -%}
{%- endif -%}
{%- set any = formats_in_use()[0] -%}
{{ return(pending or {any: read.get(any, 0)}) }}
{%- endmacro %}

{# The last batch of each format that a relation names. #}
{% macro _last_batches(relation) -%}
{{ return(dict(run_query('select format, max(last_batch) from ' ~ relation ~ ' group by format').rows | map('list'))) }}
{%- endmacro %}
