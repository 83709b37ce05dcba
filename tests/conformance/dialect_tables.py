"""Builds current tables from each dialect's messages, and normalizes their values to compare."""

import ctypes
import datetime
import importlib
import json
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from rich.console import Console

import dialects
from bronze_rows import append_to_bronze, bronze_row
from changelake.build.dbt import Build
from changelake.build.report import BuildResult
from changelake.build.runner import build_pending
from changelake.core.feeds import Feed
from changelake.core.quoting import sql_name
from changelake.landing.bronze import ensure_bronze
from changelake.onboarding.choosing import choose_tables
from changelake.onboarding.model_files import write_table
from changelake.onboarding.names import column_names
from changelake.onboarding.schema_files import read_schema
from changelake.onboarding.schema_matching import take_schema
from changelake.onboarding.schema_tables import SchemaTable
from changelake.onboarding.seen import look_at_values, seen_tables
from changelake.onboarding.tables import SourceTable
from changes import COLUMNS, DATABASE, KEY, TABLE, Change, Column, Message, Row, Stream, Values
from dialects.debezium_avro import REGISTRY
from parsers import know_schemas

Known = Mapping[str, tuple[str, Callable[[Any], Any]]]


@dataclass
class Dialect:
    """A way of writing the changes, and the current table that is built from them.

    Attributes:
        name: of the format, or of the format and a variant; also the name of its feed and topic.
        encode: writes a change as messages.
        zone: in which the producer writes times that have no zone of their own.
        key_known: whether the messages name the key.
        different: by column, why its cells cannot be exact, and the closest they can get.
        renamed: a column's name in this dialect, by its name in the source.
        is_variant: whether it differs from the dialect's usual way of writing.
        has_schema_file: whether onboarding gets the source's `create table`.
        rows: the rows that its current table must hold.
        offset: of the next message.
        table: the source table as onboarding sees it, after onboarding.
    """

    name: str
    format: str
    encode: Callable[[Change], list[Message]]
    zone: str
    key_known: bool
    different: Known
    renamed: Mapping[str, str]
    is_variant: bool
    has_schema_file: bool = False
    rows: dict[int, Row] = field(default_factory=dict)
    offset: int = 0
    table: SourceTable | None = None

    @property
    def feed(self) -> Feed:
        """Return the line of feeds.csv."""
        return Feed(self.name, self.format, (self.name,), None, self.zone)


def all_dialects() -> Iterator[Dialect]:
    """Return the dialects and their variants.

    A module has FORMAT, ZONE, KEY_KNOWN and `encode`; VARIANTS, other ways to encode, by name; and
    DIFFERENT and RENAMED where needed, see Dialect. VARIANT_KEY_KNOWN and VARIANT_DIFFERENT hold
    the values of variants that differ in these, by name. WITH_SCHEMA_FILE holds, by name, the
    ways to encode that are also onboarded with a schema file, each with its `encode` and what is
    different; without it, that is the usual way, with no differences.
    """
    for module in pkgutil.iter_modules(dialects.__path__):
        if module.name.startswith("_"):
            continue
        one = importlib.import_module(f"dialects.{module.name}")
        for variant, encode in {"": one.encode, **one.VARIANTS}.items():
            own = getattr(one, "VARIANT_KEY_KNOWN", {})
            different = getattr(one, "VARIANT_DIFFERENT", {})
            yield Dialect(
                re.sub(r"\W+", "_", f"{one.FORMAT} {variant}".strip()),
                one.FORMAT,
                encode,
                one.ZONE,
                own.get(variant, one.KEY_KNOWN),
                different.get(variant, getattr(one, "DIFFERENT", {})),
                getattr(one, "RENAMED", {}),
                bool(variant),
            )
        known = getattr(one, "WITH_SCHEMA_FILE", {"": (one.encode, {})})
        for variant, (encode, different) in known.items():
            yield Dialect(
                re.sub(r"\W+", "_", f"{one.FORMAT} {variant} with schema file"),
                one.FORMAT, encode, one.ZONE, True, different, {}, True, True,
            )  # fmt: skip


class Pipeline:
    """Appends what the dialects write to bronze, builds, and reads the current tables."""

    def __init__(self, spark: Any, project: Path, log: Path, names: Iterable[str]) -> None:
        self.spark = spark
        self.models = project / "models" / "current" / "conformance"
        self.console = Console(file=log.open("w"), width=300)
        self.dialects = [one for one in all_dialects() if one.name in set(names)]
        self.stream = Stream()
        ensure_bronze(spark)
        feeds = "".join(
            f"{one.name},{one.name},,{one.format},{one.zone}\n" for one in self.dialects
        )
        seed = project / "seeds" / "feeds.csv"
        seed.write_text("feed,topics,topic_pattern,format,time_zone\n" + feeds)

    def build(self, changes: list[Change], variants: bool) -> None:
        """Write the changes in all dialects as one batch, and build; no model may fail.

        Args:
            changes: the newest changes of the stream.
            variants: whether the dialects' variants write them too.
        """
        telling = [one for one in self.dialects if variants or not one.is_variant]
        self._tell(changes, telling)
        if any(one.table is None for one in self.dialects):
            self._run()
            self._onboard()
        # Build the events and the tables, but skip the rest of a run.
        models = {name for one in telling for name in (one.name, f"{one.format}_events")}
        build = Build(self.spark, "local", lambda node: None)
        self._check(build.invoke("run", "--select", *sorted(models)))

    def run(self, changes: list[Change], telling: list[Dialect]) -> None:
        """Write the changes in some dialects and do what run.py does; it must ask for nothing."""
        self._tell(changes, telling)
        done = self._run()
        assert not done.asked, "\n".join(done.asked)

    def _run(self) -> BuildResult:
        feeds = [one.feed for one in self.dialects]
        done = build_pending(self.spark, "local", feeds, self.console)
        self._check(done)
        return done

    def _tell(self, changes: list[Change], telling: list[Dialect]) -> None:
        for dialect in telling:
            dialect.rows = dict(self.stream.rows)
        now = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
        for format_id in sorted({one.format for one in telling}):
            rows = []
            for dialect in (one for one in telling if one.format == format_id):
                for message in (m for change in changes for m in dialect.encode(change)):
                    rows.append(
                        bronze_row(
                            dialect.name, dialect.name, 0, dialect.offset, now, message.value,
                            message.key,
                        )
                    )  # fmt: skip
                    dialect.offset += 1
            append_to_bronze(self.spark, format_id, rows)
        know_schemas(self.spark, REGISTRY)

    @staticmethod
    def _check(built: BuildResult) -> None:
        failed = [f"{node.name}: {node.message}" for node in built.failed + built.failed_tests]
        assert not failed, "\n".join(failed)

    def _onboard(self) -> None:
        # All dialects show a table of the same name, so each model is named after its feed.
        seen = seen_tables(self.spark)
        with_file = {one.name for one in self.dialects if one.has_schema_file}
        take_schema([one for one in seen if one.feed in with_file], self._schema())
        look_at_values(self.spark, seen)
        for dialect in self.dialects:
            names = {one.name for one in seen if one.feed == dialect.name}
            assert len(names) == 1, (dialect.name, names)
            key = dialect.renamed.get(KEY, KEY)
            keys = {} if dialect.key_known else {next(iter(names)): [key]}
            (dialect.table,) = choose_tables(seen, [], dialect.name, keys)
            written = write_table(dialect.table, self.models / dialect.name)
            for file in (self.models / dialect.name).iterdir():
                file.rename(self.models / f"{dialect.name}{file.suffix}")
            (self.models / f"{dialect.name}.yml").unlink()
            assert set(written.files.values()) == {"written"}

    def _schema(self) -> list[SchemaTable]:
        lines = [f"  {sql_name(one.name)} {one.type}" for one in COLUMNS]
        lines.append(f"  PRIMARY KEY ({sql_name(KEY)})")
        body = ",\n".join(lines)
        file = self.models.parents[2] / "target" / "every_type.sql"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"CREATE TABLE {sql_name(DATABASE)}.{sql_name(TABLE)} (\n{body}\n)")
        return read_schema(file, set())

    def rejects(self) -> list[tuple[str, ...]]:
        """Return messages that gave no event: the feed, the reason, its detail and the message."""
        rows = self.spark.sql(
            "select feed, reject_reason, reject_detail, left(string(value), 300)"
            " from silver.rejected_messages limit 20"
        )
        return [tuple(row) for row in rows.collect()]

    def types(self, dialect: Dialect) -> dict[str, str]:
        """Return the declared types of a current table, by the source's column names."""
        columns = self.spark.table(f"current.{dialect.name}").schema
        types = {column.name: column.dataType.simpleString() for column in columns}
        names = _names(dialect, COLUMNS)
        return {source: types.get(name, "missing") for source, name in names.items()}

    def rows(self, dialect: Dialect) -> dict[int, Values]:
        """Return a current table's rows by key, with normalized values."""
        columns = self.stream.columns
        names = _names(dialect, columns)
        table = self.spark.table(f"current.{dialect.name}")
        selects = ["coalesce(_undecodable, map()) as bad"]
        for column in columns:
            quoted = sql_name(names[column.name])
            type_name = table.schema[names[column.name]].dataType.simpleString()
            cast = f"cast({quoted} as timestamp_ntz)" if type_name == "timestamp" else quoted
            selects.append(f"{cast} as `{len(selects)}`")
        added = {names[one.name] for one in columns if one.like}
        found = {}
        for row in table.selectExpr(*selects).collect():
            bad = row[0]
            # Columns added after the row was written: no message has held a value for them.
            bad = {name: text for name, text in bad.items() if text or name not in added}
            values = {
                column.name: f"undecodable: {bad[names[column.name]]}"
                if names[column.name] in bad
                else usual(column, value)
                for column, value in zip(columns, row[1:], strict=True)
            }
            found[values[KEY]] = values
        return found


def _names(dialect: Dialect, columns: Sequence[Column]) -> dict[str, str]:
    # Maps a column's name in the source to its name in the current table.
    names = column_names(dialect.renamed.get(one.name, one.name) for one in columns)
    return dict(zip((one.name for one in columns), names.values(), strict=True))


def usual(column: Column, value: Any) -> Any:
    """Return a value of the source or of a current table in the one form that is compared.

    Where a dialect does not carry a type, the same value may have another type than usual. A value
    that the type cannot hold is returned as a text that says so.
    """
    if value is None:
        return None
    try:
        return _USUAL.get(column.base, _same)(value)
    except (ArithmeticError, ValueError, TypeError):
        return f"no {column.type}: {value!r}"


def _same(value: Any) -> Any:
    return value


def _decimal(value: Any) -> Decimal:
    return Decimal(repr(value) if isinstance(value, float) else value)


def _single(value: Any) -> float:
    # The text of a FLOAT has just the digits that tell it from other floats.
    return ctypes.c_float(float(value)).value


def _bits(value: Any) -> int:
    return int.from_bytes(value, "big") if isinstance(value, bytes | bytearray) else int(value)


def _date(value: Any) -> datetime.date:
    midnight = isinstance(value, datetime.datetime) and value.time() == datetime.time()
    return value.date() if midnight else value


def _moment(value: Any) -> Any:
    if isinstance(value, int | Decimal):
        return EPOCH + datetime.timedelta(microseconds=int(value * 1_000_000))
    if isinstance(value, str):
        value = datetime.datetime.fromisoformat(value)
    return value.astimezone(datetime.timezone.utc).replace(tzinfo=None) if value.tzinfo else value


def _time(value: datetime.timedelta | str) -> str:
    if isinstance(value, str):
        return value.rstrip("0").rstrip(".") if "." in value else value
    micros = value // datetime.timedelta(microseconds=1)
    seconds, fraction = divmod(abs(micros), 1_000_000)
    minutes, second = divmod(seconds, 60)
    text = f"{'-' if micros < 0 else ''}{minutes // 60:02}:{minutes % 60:02}:{second:02}"
    return text + (f".{fraction:06}".rstrip("0") if fraction else "")


EPOCH = datetime.datetime(1970, 1, 1)
_USUAL: dict[str, Callable[[Any], Any]] = {
    "decimal": _decimal,
    "float": _single,
    "double": float,
    "bigint": int,
    "varbinary": bytes,
    "blob": bytes,
    "bit": _bits,
    "date": _date,
    "datetime": _moment,
    "timestamp": _moment,
    "time": _time,
    "set": lambda value: value if isinstance(value, str) else ",".join(value),
    "json": lambda value: json.dumps(json.loads(value, parse_float=str), sort_keys=True),
}
