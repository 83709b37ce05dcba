"""Every regular expression over a message's text takes time that grows as the text does."""

import re
import time
from pathlib import Path
from typing import Any

import pytest
from dbt.cli.main import dbtRunner

from changelake.quoting import sql_string
from parsers import compiled_parsers

pytestmark = pytest.mark.e2e

# What a text begins with, what it repeats, and what it ends with: each with each.
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
LITERAL = re.compile(r"""(?<![A-Za-z0-9_])r'([^']*)'|(?<![A-Za-z0-9_])r"([^"]*)"|rlike '([^']*)'""")
# one that is longer than a line of SQL
JOINED = re.compile(r"'\s*\|\|\s*r'")
REPLACEMENT = re.compile(r"(?<!\\)\$[0-9]")
# For texts of the first length a quadratic one takes a minute, a linear one a second.
SHORT, LONG = 16_000, 1_000_000
SECONDS = 20.0

INLINE = """
{% for type in types %}{{ decode('text', declared_column('c', type)) }};;{% endfor %}
{{ position_numbers('text') }};;{{ empties_table() }};;{{ ddl_operation('text') }};;
{{ table_of_statement('text', 'text') }};;{{ comparable_type('text') }};;
{{ document_patched('text', 'array(text)') }};;{{ numbers_quoted('text') }}
"""
TYPES = (
    "int", "bigint from exact", "decimal(9,2)", "decimal(9,2) from exact", "decimal(9,2) from bits",
    "decimal(9,2) from base64_unscaled(2)", "decimal(9,2) from base64_struct", "double", "float",
    "double from exact", "boolean", "boolean from exact", "string", "string from time",
    "string from enum('a')", "string from set('a')", "string from json_string", "binary from hex",
    "binary from base64", "binary from latin1", "binary from byte_list", "date", "timestamp",
    "timestamp_ntz", "timestamp from epoch_seconds", "string from extended_json",
    "decimal(9,2) from extended_json", "binary from extended_json", "timestamp from extended_json",
)  # fmt: skip


def literals(text: str) -> set[str]:
    """Return the regular expressions in a text of SQL, without what replaces their matches."""
    found = {"".join(one) for one in LITERAL.findall(JOINED.sub("", text))}
    return {one for one in found if one and not REPLACEMENT.search(one)}


@pytest.fixture(scope="module")
def expressions(spark: Any, project: Path) -> set[str]:
    """The regular expressions of all parsers and decoders, as they are compiled."""
    inline = f"{{% set types = {list(TYPES)!r} %}}" + INLINE
    parsers = compiled_parsers(spark, project).values()
    outcome = dbtRunner().invoke(
        ["--quiet", "--log-level", "none", "compile", "--target", "local", "--inline", inline]
    )
    assert outcome.exception is None, outcome.exception
    return literals("\n".join([*parsers, outcome.result.results[0].node.compiled_code]))


def seconds(
    spark: Any,
    expression: str,
    length: int,
    beginnings: tuple[str, ...] = ("",),
    repeated: tuple[str, ...] = REPEATED,
    ends: tuple[str, ...] = ("x",),
) -> float:
    """Return how long it takes to find all places of an expression in texts of a length."""

    def values(texts: Any) -> str:
        return ", ".join(map(sql_string, texts))

    begun = time.monotonic()
    spark.sql(f"""
        select sum(regexp_count(
            concat(beginning, repeat(one, {length} div length(one)), ending), {sql_string(expression)}
        ))
        from (
            select /*+ repartition(4) */ *
            from (select explode(array({values(repeated)})) as one)
            lateral view explode(array({values(beginnings)})) as beginning
            lateral view explode(array({values(ends)})) as ending
        )
    """).collect()  # noqa: E501
    return time.monotonic() - begun


def test_every_expression_of_the_macros_is_looked_at(expressions: set[str], project: Path) -> None:
    written = "\n".join(file.read_text() for file in (project / "macros").rglob("*.sql"))
    # a string of Jinja's has its backslashes twice; what Jinja puts together is no literal
    static = {one for one in literals(written) if "{{" not in one and " ~ " not in one}
    unescaped = {one: one.replace("\\\\", "\\").replace('\\"', '"') for one in static}
    assert len(static) > 50
    assert [one for one in static if not expressions & {one, unescaped[one]}] == []


def test_every_expression_is_linear(spark: Any, expressions: set[str]) -> None:
    slow = []
    # without a quantifier it looks at so many characters at each place
    for expression in sorted(one for one in expressions if re.search(r"[*+]|,\}", one)):
        if seconds(spark, expression, SHORT, BEGINNINGS, ends=ENDS) > SECONDS:
            slow.append(expression)
            continue
        # what shares no character with it is passed over
        repeated = tuple(one for one in REPEATED if set(one) & set(expression))
        if seconds(spark, expression, LONG, repeated=repeated) > SECONDS:
            slow.append(f"{expression} on a text of {LONG} characters")
    assert slow == []
