"""Every regular expression over a message's text takes time proportional to the text's length."""

import base64
import itertools
import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

from compiled_text import compiled_text

pytestmark = pytest.mark.e2e

# What a text begins with, what it repeats, and what it ends with, in all combinations.
BEGINNINGS = (
    "", "[", "{", '"', '{"', "0.", "2026-01-01 00:00:00 A", "alter table a ",
    "drop table if exists ", '{"schemaType":"', '{"$oid":"', '{"PRIMARY":["',
)  # fmt: skip
REPEATED = (
    "/*", "/* ", "*/", "/*!", "--", "#", " #", '"', "\\", '\\"', "'", "''", "`", "[", "]", "{", "}",
    "(", ")", " ", "\n", "a", "A", "0", "1.", "1,", "-1", "1e1", "e", "E", ".", ":", ",", "=", ";",
    "%", "/", '"a"', '"a",', "A/", "\\u002E", "x=", "$", "-", "1 ,", "or replace ", "unique ",
    "create ", '"x":1,', "a.b,", "__op,", "op,", "é", "\x01", '."', '."""', "A(", "A(1),",
)  # fmt: skip
ENDS = ("", "x", "\\")
# The tokens of SQL, as far as they matter for finding the arguments of a function.
TOKEN = re.compile(
    r"""--[^\n]*|/\*.*?\*/|`[^`]*`|(?P<raw>\br'[^']*'|\br"[^"]*")"""
    r"""|(?P<plain>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(?P<word>\w+)|(?P<mark>[(),|]|[^\s\w])""",
    re.DOTALL,
)
FUNCTIONS = re.compile(r"regexp_\w+|split", re.IGNORECASE)
ESCAPED = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
# Literals in a macro's text, unless an argument in quotes precedes them.
WRITTEN = re.compile(
    r"""(?<![A-Za-z0-9_])r'([^']*)'|(?<![A-Za-z0-9_])r"([^"]*)\""""
    r"""|(?:\brlike |\b(?:regexp_\w+|split)\([^'"]*?,\s*)'([^']*)'"""
)
# literals that other functions take
NO_PATTERNS = {'`"', "[] ", r"\/", r"\\\\", '\\"', r"\\\"", r"\ud", r"\uD"}
REPLACEMENT = re.compile(r"(?<!\\)\$[0-9]")
# The shortest length selects the texts to look at: at that length a linear expression takes some
# hundredths of a millisecond, a quadratic one more than one. From the short to the long one, a
# linear expression takes four times as long, a quadratic one sixteen times.
LENGTHS = (1_000, 16_000, 64_000)
LONGEST = 1_000_000
# Beside other work on the machine, only one measurement in a few is right.
REPEATS = 20
RATIO, NOTED_SECONDS, LONGEST_SECONDS = 9.0, 0.05, 10.0

INLINE = """
{% for type in types %}{{ decode('text', declared_column('c', type)) }};;{% endfor %}
{{ position_numbers('text') }};;{{ truncates_table() }};;{{ ddl_operation('text') }};;
{{ table_of_statement('text', 'text') }};;{{ comparable_type('text') }};;
{{ document_patched('text', 'array(text)') }};;{{ numbers_quoted('text') }};;
{{ decimals_quoted('text') }};;{{ needs_marks('text') }};;
{{ seen_values('events', 'true', 'true') }};;{{ seen_documents('events', 'true') }}
"""
TYPES = (
    "int", "bigint from exact", "decimal(9,2)", "decimal(9,2) from exact", "decimal(9,2) from bits",
    "decimal(9,2) from base64_unscaled(2)", "decimal(9,2) from base64_struct", "double", "float",
    "double from exact", "boolean", "boolean from exact", "string", "string from time",
    "string from base64_struct", "string from enum('a')", "string from set('a')",
    "string from json_string", "string from json_list", "string from bits(9)", "array<int>",
    "string from hierarchyid", "string from hex", "variant", "struct<srid:int,wkb:binary>",
    "map<string,string>", "binary from hex",
    "binary from base64", "binary from latin1", "binary from byte_list", "date", "timestamp",
    "timestamp_ntz", "timestamp from epoch_seconds", "timestamp from located",
    "string from extended_json", "decimal(9,2) from extended_json", "binary from extended_json",
    "timestamp from extended_json",
)  # fmt: skip


def unescaped(literal: str) -> str:
    """Return the value of a SQL literal in plain quotes."""

    def character(match: re.Match[str]) -> str:
        one = match[1]
        if len(one) > 1:
            return chr(int(one[1:], 16))
        return {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}.get(one, one)

    return ESCAPED.sub(character, literal)


def patterns(text: str) -> tuple[set[str], set[str]]:
    """Return the regular expressions in a SQL text, and other expressions in their place."""
    found, other = set(), set()
    # For each open parenthesis: its function, and the tokens of the current argument.
    open_calls: list[tuple[str, int, list[re.Match[str]]]] = [("", 0, [])]

    def ended(argument: list[re.Match[str]]) -> None:
        literals = [
            one["raw"][2:-1] if one["raw"] else unescaped(one["plain"][1:-1])
            for one in argument
            if one["raw"] or one["plain"]
        ]
        if all(one["raw"] or one["plain"] or one["mark"] == "|" for one in argument):
            found.add("".join(literals))
        else:
            other.add(" ".join(one[0] for one in argument))

    word = ""
    for token in TOKEN.finditer(text):
        if token.lastgroup is None:
            continue
        name, place, argument = open_calls[-1]
        if token["mark"] in ("(", ",", ")"):
            if token["mark"] != "(" and place == 1 and FUNCTIONS.fullmatch(name):
                ended(argument)
            if token["mark"] == "(":
                argument.append(token)
                open_calls.append((word, 0, []))
            elif token["mark"] == ",":
                open_calls[-1] = (name, place + 1, [])
            elif len(open_calls) > 1:
                open_calls.pop()
        else:
            argument.append(token)
            if word == "rlike":
                ended([token])
        word = (token["word"] or "").lower()
    return found, other


def written_literals(text: str) -> set[str]:
    """Return the regular expressions in a macro's text, without the replacements of matches."""
    found = {"".join(one) for one in WRITTEN.findall(text)}
    return {one for one in found - NO_PATTERNS if one and not REPLACEMENT.search(one)}


@pytest.fixture(scope="module")
def compiled(parsers: dict[str, str]) -> str:
    """The SQL of all parsers and decoders."""
    inline = f"{{% set types = {list(TYPES)!r} %}}" + INLINE
    return ";\n".join([*parsers.values(), compiled_text(inline)])


Text = tuple[str, str, str]


def timed(spark: Any, searches: Any, length: int, slowest: int) -> list[tuple[str, Text, float]]:
    """Return the seconds it takes to find all matches of expressions in texts of some length.

    Args:
        spark: the session.
        searches: expressions, each with a text's beginning, repeated part and end.
        length: the length of the texts in characters.
        slowest: how many of its slowest texts to return for each expression.
    """
    frame = spark.createDataFrame(
        searches, "pattern string, beginning string, one string, ending string"
    )
    frame.repartition(8, "pattern").sortWithinPartitions("pattern").createOrReplaceTempView(
        "searches"
    )
    now = "cast(reflect('java.lang.System', 'nanoTime') as bigint)"
    rows = spark.sql(f"""
        select pattern, beginning, one, ending, (times[2] - times[0]) / 1e9D as seconds
        from (
            select *, row_number() over (partition by pattern order by times[0] - times[2]) as place
            from (select *, array({now}, cast(regexp_count(text, pattern) as bigint), {now}) as times
            from (
                select *, concat(beginning, repeat(one, {length} div length(one)), ending) as text
                from searches
            ))
        )
        where place <= {slowest}
    """).collect()  # noqa: E501
    return [(row.pattern, (row.beginning, row.one, row.ending), row.seconds) for row in rows]


def slow_expressions(
    spark: Any,
    expressions: list[str],
    lengths: tuple[int, int, int] = LENGTHS,
    repeats: int = REPEATS,
) -> list[str]:
    """Return the expressions whose time grows faster than the text, each with such a text."""
    scanned, short, long = lengths
    texts = list(itertools.product(BEGINNINGS, REPEATED, ENDS))
    searches = [(one, *text) for one in expressions for text in texts]
    searches = [(one, *text) for one, text, _ in timed(spark, searches, scanned, 5)]

    def times() -> dict[tuple[str, Text], tuple[float, float]]:
        of_short, of_long = (
            {(one, text): seconds for one, text, seconds in timed(spark, searches, length, 5)}
            for length in (short, long)
        )
        return {place: (of_short[place], seconds) for place, seconds in of_long.items()}

    found = times()
    suspects = {place for place, (_, more) in found.items() if more > NOTED_SECONDS}
    # Something else may have run, or Java had not compiled the code yet, so take the shortest of
    # several times. An expression that is not linear takes as long each time.
    for _ in range(repeats):
        if not suspects:
            break
        searches = [(one, *text) for one, text in suspects]
        for place, again in times().items():
            less, more = map(min, found[place], again)
            found[place] = less, more
            if more <= NOTED_SECONDS or more / less <= RATIO:
                suspects.discard(place)
    slow = {}
    for one, text in suspects:
        less, more = found[one, text]
        slow[one] = f"{one}: {more / less:.0f} times as long for 4, {text}"
    slowest = {}
    for (one, text), _ in sorted(found.items(), key=lambda item: item[1][1]):
        if one not in slow:
            slowest[one] = (one, *text)
    for one, text, seconds in timed(spark, list(slowest.values()), LONGEST, 1):
        if seconds > LONGEST_SECONDS:
            slow[one] = f"{one}: {seconds:.0f} s for {LONGEST}, {text}"
    return sorted(slow.values())


def test_expressions_are_found_however_they_are_written() -> None:
    text = r"""
        select regexp_replace(f(a, ','), r'raw\.', '$1'), a rlike '^plain\\(' -- it's
            , regexp_extract_all(a, concat('put ', b), 1), split(a, 'x'), substr(a, 'no'),
            regexp_count(a, 'ha' || r'lf(s)'), a rlike b
    """
    assert patterns(text) == (
        {r"raw\.", r"^plain\(", "x", "half(s)"}, {"concat (", "b"},
    )  # fmt: skip


def test_every_expression_of_the_macros_is_looked_at(compiled: str, project: Path) -> None:
    expressions, other = patterns(compiled)
    # Expressions that are put together while a query runs could not be timed.
    assert other == set()
    written = "\n".join(file.read_text() for file in (project / "macros").rglob("*.sql"))
    # Strings in Jinja have doubled backslashes; an expression that Jinja puts together is no
    # literal.
    static = {one for one in written_literals(written) if "{{" not in one and " ~ " not in one}
    assert len(static) > 50
    assert [one for one in static if not expressions & {one, unescaped(one)}] == []


def test_every_expression_is_linear(spark: Any, compiled: str) -> None:
    # Without a quantifier, it looks at a constant number of characters at each place.
    expressions = sorted(one for one in patterns(compiled)[0] if re.search(r"[*+]|,\}", one))
    assert slow_expressions(spark, expressions) == []


@pytest.mark.thorough
def test_an_expression_that_is_not_linear_is_seen(spark: Any) -> None:
    slow = ["a*b", "^0*[0-9]*x"]
    found = slow_expressions(spark, [*slow, "a++"], (300, 3_000, 12_000), repeats=1)
    assert [one.split(": ")[0] for one in found] == ["^0*[0-9]*x", "a*b"]


def test_the_longest_numbers_are_read_in_seconds(spark: Any, compiled: str) -> None:
    """In the Base64 of a message of 1 MB: the most digits, the largest scale, and beyond."""
    decoder = [
        one for one in compiled.split(";;") if "createBigInteger" in one and "$.scale" in one
    ][-1]
    digits = [
        b"\x7f" + b"\xff" * 61_249,
        b"\0" * 61_250,
        b"\x80" + b"\0" * 61_249,
        b"\x7f" * 750_000,
    ]
    texts = [
        (json.dumps({"scale": 16_383, "value": base64.b64encode(one).decode()}),) for one in digits
    ]
    begun = time.monotonic()
    found = spark.createDataFrame(texts, "text string").selectExpr(f"length({decoder})").collect()
    assert time.monotonic() - begun < LONGEST_SECONDS * 3
    assert [row[0] for row in found] == [147_506, 16_385, 147_507, None]
