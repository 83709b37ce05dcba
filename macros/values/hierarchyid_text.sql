{#
    How SQL Server packs a number of a path into bits, by the smallest one of each form: `x` is a digit,
    `T` is 1 in front of a slash and 0 in front of a point, where the number is one too large. No form
    begins as another one does.
#}
{% macro hierarchyid_text(text) -%}
{%- set forms = [
    (-281479271682120, '000100xxxxxxxxxxxxxx0xxxxxxxxxxxxxxxxxxxxx0xxxxxx0xxx0x1xxxT'),
    (-4294971464, '000101xxxxxxxxxxxxxxxxxxx0xxxxxx0xxx0x1xxxT'),
    (-4168, '000110xxxxx0xxx0x1xxxT'),
    (-72, '0010xx0x1xxxT'),
    (-8, '00111xxxT'),
    (0, '01xxT'),
    (4, '100xxT'),
    (8, '101xxxT'),
    (16, '110xx0x1xxxT'),
    (80, '1110xxx0xxx0x1xxxT'),
    (1104, '11110xxxxx0xxx0x1xxxT'),
    (5200, '111110xxxxxxxxxxxxxxxxxxx0xxxxxx0xxx0x1xxxT'),
    (4294972496, '111111xxxxxxxxxxxxxx0xxxxxxxxxxxxxxxxxxxxx0xxxxxx0xxx0x1xxxT'),
] -%}
{%- set any_form = forms | map(attribute=1) | join('|') | replace('x', '.') | replace('T', '.') -%}
get(transform(
    filter(
        transform(
            array(array_join({{ byte_bits("try_to_binary(" ~ text ~ ", 'base64')") }}, '')),
            bits -> struct(bits, regexp_extract_all(bits, r'\G({{ any_form }})', 1) as steps)
        ),
        -- all but the zeros that pad the last byte
        path -> rtrim('0', path.bits) = array_join(path.steps, '') and not endswith(path.bits, '00000000')
    ),
    path -> concat('/', array_join(transform(path.steps, step -> concat(
        case
            {%- for smallest, form in forms %}
            when startswith(step, '{{ form.split('x')[0] }}') then {{ smallest }} + cast(conv(concat(
                {%- for digits in modules.re.finditer('x+', form) -%}
                substr(step, {{ digits.start() + 1 }}, {{ digits.end() - digits.start() }}){{ '' if loop.last else ', ' }}
                {%- endfor -%}
            ), 2, 10) as bigint)
            {%- endfor %}
        end - if(endswith(step, '1'), 0, 1),
        if(endswith(step, '1'), '/', '.')
    )), ''))
), 0)
{%- endmacro %}
