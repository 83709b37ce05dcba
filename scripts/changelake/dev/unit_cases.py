"""The unit tests of a model, all of them in one query, where `dbt test` runs one for each.

dbt reads the project and compiles the model as it does for a unit test, once for all cases. What
the cases are given stands in one view an input, in which the name of its case stands before each
row's feed: models keep a row's feed, and look for what belongs to a row in its own feed alone.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any, cast

from pyspark.errors import PySparkException
from rich.table import Table

from changelake.build.messages import one_line
from changelake.core import settings
from changelake.core.errors import UserError
from changelake.core.quoting import sql_string

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# the target that unit tests are enabled in
TARGET = "sample"
# What dbt keeps of a parsed project is of use to the same target alone.
TARGET_PATH = "target/unit_cases"
FEED = "feed"
# between a case's name and a feed
END = ":"
# the column of a case's name, which no model has
CASE = "case of"
# between the texts that dbt renders at once
CUT = "\n--- the next text ---\n"
INTEGERS = {"tinyint": "bigint", "smallint": "bigint", "int": "bigint"}
# of a value in a table of differences
SHOWN_CHARACTERS = 2_000


@dataclass(frozen=True)
class Difference:
    """Where a case gives something else than it expects: both as JSON, empty without a row."""

    case: str
    row: str
    column: str
    expected: str
    got: str


@dataclass(frozen=True)
class Checked:
    """The cases that ran, in how many queries, and what differs."""

    cases: list[str]
    queries: int
    differences: list[Difference]


class UnitCases:
    """The unit tests of the project in settings.REPO, as dbt reads them.

    Raises:
        UserError: dbt cannot read the project.
    """

    def __init__(self) -> None:
        self.config, self.manifest = _parse()
        nodes = self.manifest.nodes.values()
        self._seed_types = {
            node.name: node.config.column_types for node in nodes if node.resource_type == "seed"
        }

    def models(self) -> dict[str, list[str]]:
        """Return by model the names of its unit tests."""
        models: dict[str, list[str]] = {}
        for test in self.manifest.unit_tests.values():
            models.setdefault(test.model, []).append(test.name)
        return models

    def check(self, spark: "SparkSession", model: str, names: Sequence[str] = ()) -> Checked:
        """Run unit tests of a model, in one query for all with the same overrides and seeds.

        Args:
            spark: the session. It needs no catalog, and no seed has to be there.
            model: its name.
            names: the tests; all of them if empty.

        Raises:
            UserError: the model does not compile, or Spark refuses it.
        """
        tests = [
            test
            for test in self.manifest.unit_tests.values()
            if test.model == model and (not names or test.name in names)
        ]
        # as dbt's adapter sets it in its own session
        spark.conf.set("spark.sql.ansi.enabled", "false")
        groups: dict[str, list[Any]] = {}
        for test in tests:
            groups.setdefault(self._shared(test), []).append(test)
        with _compiler(self.config, self.manifest) as compiler:
            differences = [
                difference
                for group in groups.values()
                for difference in _Query(spark, self, compiler, group).differences()
            ]
        return Checked([test.name for test in tests], len(groups), differences)

    def _shared(self, test: Any) -> str:
        """Return as a text what tests of one query have in common."""
        inputs = {
            given.input: None if self.is_tagged(given.input) else self.code(given.input, given)
            for given in test.given
        }
        overrides: dict[str, Any] = test.overrides.to_dict() if test.overrides else {}
        return json.dumps([overrides, inputs], sort_keys=True, default=str)

    def is_tagged(self, source: str) -> bool:
        """Say whether an input's rows are a case's own: all but those of a seed without feeds."""
        return FEED in self._seed_types.get(_name(source), [FEED])

    def code(self, source: str, fixture: Any) -> str:
        """Return the Jinja of an input's rows, which dbt makes of a fixture.

        Where the seed's types are declared its table need not be there for dbt to ask for them.
        """
        if isinstance(fixture.rows, str):
            return fixture.rows
        types = self._seed_types.get(_name(source))
        return _fixture_code(fixture.rows, types if types else None)


class _Query:
    """The unit tests of a model that go by one query."""

    def __init__(
        self, spark: "SparkSession", cases: UnitCases, compiler: Any, tests: list[Any]
    ) -> None:
        from dbt.parser.unit_tests import UnitTestManifestLoader

        self._spark = spark
        self._cases = cases
        self._compiler = compiler
        self._tests = tests
        self._failed: dict[str, Difference] = {}
        loader = UnitTestManifestLoader(cases.manifest, cases.config, {tests[0].unique_id})
        self._manifest: Any = loader.load()
        self._node = self._manifest.nodes[tests[0].unique_id]
        self._inputs = [self._manifest.nodes[name] for name in self._node.depends_on.nodes]

    def differences(self) -> list[Difference]:
        """Run the query and compare each case's rows, in the order of the cases."""
        sources = [given.input for given in self._tests[0].given]
        for source, node in zip(sources, self._inputs, strict=True):
            if self._cases.is_tagged(source):
                frames = self._frames(source, node)
                if not frames:
                    return list(self._failed.values())
                node.raw_code = f"select * from {_view(node.name, frames)}"
            else:
                node.raw_code = self._cases.code(source, self._given(self._tests[0], source))
        sql = self._compiled(self._node)
        actual = _comparable(self._analyzed(sql))
        try:
            rows = actual.collect()
        except PySparkException as error:
            if len(self._tests) == 1:
                return [_failure(self._tests[0].name, "query", error)]
            # by halves it comes out whose rows cannot be read
            half = len(self._tests) // 2
            return self._part(self._tests[:half]) + self._part(self._tests[half:])
        by_case: dict[str, list[dict[str, Any]]] = {test.name: [] for test in self._tests}
        for row in rows:
            case, _, feed = (row[FEED] or "").partition(END)
            if case not in by_case:
                raise UserError(f"{self._tests[0].model}: a row's feed is not in its input: {row}")
            by_case[case].append({**row.asDict(), FEED: feed})
        return self._compared(by_case, actual)

    def _part(self, tests: list[Any]) -> list[Difference]:
        return _Query(self._spark, self._cases, self._compiler, tests).differences()

    def _compared(
        self, by_case: dict[str, list[dict[str, Any]]], actual: "DataFrame"
    ) -> list[Difference]:
        expected = self._expected(self._empty(actual))
        differences: list[Difference] = []
        for test in self._tests:
            if failure := self._failed.get(test.name):
                differences.append(failure)
            else:
                names, rows = expected[test.name]
                differences += compared(test.name, names, rows, by_case[test.name])
        return differences

    def _empty(self, frame: "DataFrame") -> "DataFrame":
        # createDataFrame() would read it through a new Python process for each case
        nulls = (f"cast(null as {kind}) as `{name}`" for name, kind in frame.dtypes)
        return self._spark.sql(f"select {', '.join(nulls)} where false")

    def _given(self, test: Any, source: str) -> Any:
        return next(given for given in test.given if given.input == source)

    def _frames(self, source: str, node: Any) -> list["DataFrame"]:
        """Return what each case is given by an input, but for cases that Spark refuses."""
        from pyspark.sql import functions as f

        codes = [self._cases.code(source, self._given(test, source)) for test in self._tests]
        frames: list[DataFrame] = []
        for test, sql in zip(self._tests, self._rendered(node, codes), strict=True):
            try:
                tag = f.concat(f.lit(test.name + END), f.col(FEED))
                frames.append(self._spark.sql(sql).withColumn(FEED, tag))
            except PySparkException as error:
                self._failed[test.name] = _failure(test.name, source, error)
        return frames

    def _expected(self, empty: "DataFrame") -> dict[str, tuple[list[str], list[dict[str, Any]]]]:
        """Return by case the columns that it names, and its rows of them.

        Args:
            empty: no row, but the columns of the model.
        """
        types = dict(empty.dtypes)
        fixtures = [test.expect.rows for test in self._tests]
        codes = [
            rows if isinstance(rows, str) else _fixture_code(rows, {n: types[n] for n in rows[0]})
            for rows in fixtures
            if rows
        ]
        texts = iter(self._rendered(self._inputs[0], codes))
        expected: dict[str, tuple[list[str], list[dict[str, Any]]]] = {}
        frames: list[tuple[str, DataFrame]] = []
        for test, rows in zip(self._tests, fixtures, strict=True):
            expected[test.name] = (empty.columns, [])
            if not rows:
                continue
            try:
                frame = self._spark.sql(next(texts))
                names = [name.lower() for name in frame.columns]
                # as in dbt's own union of both, Spark finds the type that holds either's values
                frame = _comparable(empty.select(names).unionAll(frame))
            except PySparkException as error:
                self._failed[test.name] = _failure(test.name, "expect", error)
                continue
            expected[test.name] = (names, [])
            for name, found in frame.dtypes:
                if found != types[name]:
                    self._failed[test.name] = Difference(
                        test.name, "types", name, found, types[name]
                    )
            if test.name not in self._failed:
                frames.append((test.name, frame))
        for case, *values in self._collected(empty, frames):
            names, its = expected[case]
            row = dict(zip(types, values, strict=True))
            its.append({name: row[name] for name in names})
        return expected

    def _collected(self, empty: "DataFrame", frames: list[tuple[str, "DataFrame"]]) -> list[Any]:
        """Return the rows of cases behind their cases' names; null where a case names no column."""
        if not frames:
            return []
        tagged = [
            frame.selectExpr(f"{sql_string(case)} as `{CASE}`", "*")
            for case, frame in [("", empty), *frames]
        ]
        united = reduce(lambda one, other: one.unionByName(other, True), tagged)
        try:
            return united.coalesce(1).collect()
        except PySparkException as error:
            if len(frames) == 1:
                self._failed[frames[0][0]] = _failure(frames[0][0], "expect", error)
                return []
            # by halves it comes out whose rows cannot be read
            half = len(frames) // 2
            return self._collected(empty, frames[:half]) + self._collected(empty, frames[half:])

    def _rendered(self, node: Any, codes: list[str]) -> list[str]:
        """Return texts as dbt renders them in an input."""
        if not codes:
            return []
        node = replace(node, raw_code=CUT.join(codes))
        return self._compiled(node).split(CUT)

    def _compiled(self, node: Any) -> str:
        from dbt_common.exceptions import DbtBaseException

        try:
            node = self._compiler.compile_node(node, self._manifest, {}, write=False)
        except DbtBaseException as error:
            raise UserError(f"dbt: {one_line(str(error))}") from None
        return str(node.compiled_code)

    def _analyzed(self, sql: str) -> "DataFrame":
        try:
            return self._spark.sql(sql)
        except PySparkException as error:
            raise UserError(f"{self._tests[0].model}: {one_line(str(error))}") from None


def _view(name: str, frames: list["DataFrame"]) -> str:
    """Return the name of a view with what all cases are given by an input."""
    view = f"given_{name}"
    frame = reduce(lambda one, other: one.unionByName(other), frames)
    frame.coalesce(1).createOrReplaceTempView(view)
    return view


def compared(
    case: str, names: Sequence[str], expected: list[dict[str, Any]], got: list[dict[str, Any]]
) -> list[Difference]:
    """Compare a case's rows in the columns that it names: in no order, but with duplicates.

    >>> got = [{"kafka_offset": 0, "after": {"a": "1"}}, {"kafka_offset": 1, "after": None}]
    >>> compared("insert", ["after"], [{"after": None}, {"after": {"a": "2"}}], got)
    [Difference(case='insert', row='0', column='after', expected='{"a": "2"}', got='{"a": "1"}')]
    >>> [one.column for one in compared("insert", ["after"], [{"after": None}], got)]
    ['not expected']
    >>> compared("insert", ["after"], got, list(reversed(got)))
    []
    """
    both = Counter(_frozen(row, names) for row in expected)
    both &= Counter(_frozen(row, names) for row in got)
    missing: list[dict[str, Any]] = _left_over(expected, names, both)
    surplus: list[dict[str, Any]] = _left_over(got, names, both)
    differences: list[Difference] = []
    while missing and surplus:
        # those with the most in common are taken for each other
        alike = [
            (sum(_frozen(one, [n]) == _frozen(other, [n]) for n in names), one, other)
            for one in missing
            for other in surplus
        ]
        _, one, other = max(alike, key=lambda pair: pair[0])
        missing = [row for row in missing if row is not one]
        surplus = [row for row in surplus if row is not other]
        differences += [
            Difference(case, _place(other), name, _text(one[name]), _text(other[name]))
            for name in names
            if _frozen(one, [name]) != _frozen(other, [name])
        ]
    for row in missing:
        shown = _text({name: row[name] for name in names})
        differences.append(Difference(case, _place(row), "missing", shown, ""))
    for row in surplus:
        shown = _text({name: row[name] for name in names})
        differences.append(Difference(case, _place(row), "not expected", "", shown))
    return differences


def table_of(differences: Sequence[Difference]) -> Table:
    """Return differences as a table for a terminal."""
    table = Table("case", "offset", "column", "expected", "got", show_lines=True)
    for one in differences:
        values = (text[:SHOWN_CHARACTERS] for text in (one.expected, one.got))
        table.add_row(one.case, one.row, one.column, *values)
    return table


def _left_over(
    rows: list[dict[str, Any]], names: Sequence[str], both: Counter[Any]
) -> list[dict[str, Any]]:
    left: list[dict[str, Any]] = []
    rest = both.copy()
    for row in rows:
        frozen = _frozen(row, names)
        if rest[frozen] > 0:
            rest[frozen] -= 1
        else:
            left.append(row)
    return left


def _frozen(row: dict[str, Any], names: Sequence[str]) -> tuple[Any, ...]:
    def frozen(value: Any) -> Any:
        if isinstance(value, dict):
            fields = cast(dict[str, Any], value).items()
            return frozenset((key, frozen(one)) for key, one in fields)
        if isinstance(value, (list, tuple)):
            return tuple(frozen(one) for one in cast(Iterable[Any], value))
        return value

    return tuple(frozen(row[name]) for name in names)


def _place(row: dict[str, Any]) -> str:
    place = str(row.get("kafka_offset", "?"))
    return f"{place}, row {row['row_index']}" if row.get("row_index") else place


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def _failure(case: str, place: str, error: Exception) -> Difference:
    return Difference(case, place, "error", "", one_line(str(error)))


def _name(source: str) -> str:
    """Return the last name in `ref('…')` or `source('…', '…')`."""
    return re.findall(r"[\"']([^\"']+)[\"']", source)[-1] if "(" in source else source


def _fixture_code(rows: list[dict[str, Any]], types: dict[str, str] | None) -> str:
    # as dbt's own, which never gives the types
    return f"{{{{ get_fixture_sql({rows}, {types}) }}}}"


def _comparable(frame: "DataFrame") -> "DataFrame":
    """Return a frame with integers of one type, and times as text: Python would move them."""
    columns: list[str] = []
    for name, kind in frame.dtypes:
        text = "string" if kind.startswith("timestamp") else INTEGERS.get(kind)
        columns.append(f"cast(`{name}` as {text}) as `{name}`" if text else f"`{name}`")
    return frame.selectExpr(*columns)


def _parse() -> tuple[Any, Any]:
    """Have dbt read the project, and return its configuration and the manifest."""
    from dbt.cli.exceptions import ExceptionExit, ResultExit
    from dbt.cli.main import cli

    os.chdir(settings.REPO)
    arguments = ["--quiet", "--log-level", "none", "--no-use-colors", "parse"]
    arguments += ["--target", TARGET, "--target-path", TARGET_PATH]
    if _seeds_are_newer():
        arguments.append("--no-partial-parse")
    # what dbtRunner does, which keeps the configuration to itself
    context = cli.make_context(cli.name, arguments)
    context.obj = {"manifest": None, "callbacks": []}
    try:
        cli.invoke(context)
    except (ExceptionExit, ResultExit) as ended:
        error = getattr(ended, "exception", None) or ended
        raise UserError(f"dbt: {one_line(str(error))}") from None
    return context.obj["runtime_config"], context.obj["manifest"]


def _seeds_are_newer() -> bool:
    """Say whether a seed was saved since dbt read the project: it keeps its rows with the tests."""
    kept = settings.REPO / TARGET_PATH / "partial_parse.msgpack"
    saved = [file.stat().st_mtime for file in (settings.REPO / "seeds").rglob("*.csv")]
    return kept.exists() and max(saved, default=0.0) > kept.stat().st_mtime


@contextmanager
def _compiler(config: Any, manifest: Any) -> Generator[Any]:
    """Give dbt's compiler for a configuration, with the adapter that its macros ask for."""
    from dbt.adapters.factory import adapter_management, get_adapter, register_adapter
    from dbt.cli.option_types import SqlParseOptionsType
    from dbt.compilation import Compiler
    from dbt.context.providers import generate_runtime_macro_context
    from dbt.mp_context import get_mp_context
    from sqlparse.engine import grouping

    # dbt's commands that compile have no limit to a statement's length, and `parse` has one
    for name, limit in SqlParseOptionsType.VALID_KEYS_TO_DEFAULTS.items():
        setattr(grouping, name, limit)
    with adapter_management():
        register_adapter(config, get_mp_context())
        # its class does not say which adapter it is
        adapter = cast(Any, get_adapter(config))
        adapter.set_macro_resolver(manifest)
        adapter.set_macro_context_generator(generate_runtime_macro_context)
        with adapter.connection_named("unit_cases"):
            yield Compiler(config)
