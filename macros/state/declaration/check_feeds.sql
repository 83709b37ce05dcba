{# Times of a feed that is not in the seed would be read as UTC, whatever their zone. #}
{% macro check_feeds(table) -%}
{%- if target.name == 'sample' and 'samples' not in model.fqn -%}
{%- do exceptions.raise_compiler_error(model.name ~ " is not one of the samples, which dbt builds by default: add --target local to the command") -%}
{%- endif -%}
{#- only models that refer to the seed read zones, and the samples need none -#}
{%- for seed in model.depends_on.nodes if seed.endswith('.feeds') and target.name != 'sample' -%}
{%- for feed in table.feeds if feed not in (listed_feeds() or {}) -%}
{%- do exceptions.raise_compiler_error(
    model.name ~ " is made of the feed " ~ feed ~ ", which the lake in " ~ lake_location() ~ " does not have: check CHANGELAKE_HOME; if it is the right lake, the"
    ~ " feed needs its line in seeds/feeds.csv, then dbt seed --target " ~ target.name ~ " --select feeds"
) -%}
{%- endfor -%}
{%- endfor -%}
{%- endmacro %}
