{#
    The properties that say what a table has seen, with its new events, see state_properties().

    Arguments:
        built (dictionary): the properties of the state; empty without one.
        now (dictionary): name → whether the new events bring it.

    Returns: a dictionary of texts.
#}
{% macro seen_properties(built, now) -%}
{%- set seen = {} -%}
{%- for name, is_so in now.items() if is_so or built.get(name) -%}
{%- do seen.update({name: 'true'}) -%}
{%- endfor -%}
{{ return(seen) }}
{%- endmacro %}
