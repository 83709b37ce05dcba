"""Names with any characters, as messages can name tables and columns."""

import random

from hypothesis import strategies as st

# Characters that are special to what names pass through: Jinja, dbt, YAML, SQL, Spark and so on.
FRAGMENTS: tuple[str, ...] = (
    "{{env_var('CHANGELAKE_NO_SUCH')}}", "{%endraw%}{{run_query('drop schema silver')}}{%raw%}",
    "{{", "}}", "{%", "%}", "{#", "#}", "{%- raw -%}", "{% endmacro %}", "config(", "ref('x')",
    "'", '"', "'''", '"""', "`", "``", "\\", "\\\\", "\\'", "\\n", "\\x41", "\\u0041", "\\N{DASH}",
    "\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "\x00", "\x1b[31m",
    "\x9b", "${usd}", "${env:HOME}", "$", "%s", "%(a)s", "--", "/*", "*/", ";", ",", ":", "- ", "#",
    "&a", "*a", "!!python/object:os.system", ".", "..", "/", "../", "=", "(", ")", "[", "]", "<",
    ">", "|", "?", "@", " ", "\t", "\u00a0", "\u200b", "\u202e", "\u2066", "\u200f", "\ufeff", "💰",
    "名", "é", "e\u0301", "ſ", "İ", "ß", "\ud7ff", "\ue000", "\U0010ffff", "null", "true", "_feed",
    "_key", "__2", "Type: VIEW", "",
)  # fmt: skip

# UTF-8 cannot encode half of a surrogate pair.
NAMES = st.lists(
    st.sampled_from(FRAGMENTS) | st.characters(exclude_categories=("Cs",)), max_size=8
).map("".join)


def odd_names(count: int) -> list[str]:
    """Return this many distinct names, always the same: every fragment, and random mixtures."""
    chance = random.Random(21)
    planes = [range(0x80), range(0x100), range(0xD800), range(0xE000, 0x110000)]
    names = dict.fromkeys(FRAGMENTS)
    while len(names) < count:
        parts = [
            chance.choice(FRAGMENTS) if chance.random() < 0.5 else chr(chance.choice(plane))
            for plane in chance.choices(planes, k=chance.randrange(1, 9))
        ]
        names["".join(parts)] = None
    return list(names)[:count]
