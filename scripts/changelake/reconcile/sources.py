"""What a current table is compared with: tables of a database, or a file."""

import csv
import os
import re
from collections.abc import Iterable
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from changelake.core.errors import UserError, java_message
from changelake.core.files import absolute_path
from changelake.core.macros import macro_sql
from changelake.core.quoting import sql_name
from changelake.core.terminal import in_line
from changelake.core.words import counted, listed
from changelake.reconcile.databases import Database, database_of, jdbc_options, scheme_of
from changelake.reconcile.model import Choice, Model, choose
from changelake.reconcile.texts import Column, normalised, plain, row_text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PASSWORD_VARIABLE = "CHANGELAKE_JDBC_PASSWORD"
# Spark takes such a name for a glob, a hidden file or a URL.
_UNREADABLE = re.compile(r"[][{}*?\\]|/[._][^/]*$|:[^/]*$")
MAX_FIELD_CHARACTERS = 2**31 - 1
_ENDINGS = (".csv", ".parquet", ".json", ".jsonl", ".ndjson")
# of the name of a source table
PARTS: tuple[str, ...] = ("database", "schema", "table")
Name = dict[str, str | None]
# by bucket: rows, and the sum of their hashes
Checksums = dict[int, tuple[int, int]]


class Source(Protocol):
    """What a current table is compared with.

    Attributes:
        name: for people; without a password.
        choice: the columns that are compared, and why others are not.
        moves: whether its rows can change while it is compared.
    """

    name: str
    choice: Choice
    moves: bool

    def checksums(self, buckets: int) -> Checksums | None:
        """Return count and checksum of the rows by bucket, None if they have to be read."""
        ...

    def rows(self, buckets: int, chosen: Iterable[int] | None) -> "DataFrame":
        """Return the texts of rows as `c0`, `c1`, …: of some of the buckets, or of all."""
        ...

    def now(self) -> datetime:
        """Return the source's time."""
        ...


class JdbcSource:
    """Tables of a database; several if the current table joins shards.

    Args:
        spark: the session.
        model: the current table.
        url: the JDBC URL.
        user: the user's name; the password is in CHANGELAKE_JDBC_PASSWORD.
        table: the source table; None: the one that the model declares.

    Raises:
        UserError: the database refuses, or has no such table.
    """

    moves = True

    def __init__(
        self, spark: "SparkSession", model: Model, url: str, user: str | None, table: str | None
    ) -> None:
        self._spark = spark
        scheme = scheme_of(url)
        self._database: Database = database_of(scheme)
        self._options = jdbc_options(scheme, url)
        if user is not None:
            self._options["user"] = user
        if password := os.environ.get(PASSWORD_VARIABLE):
            self._options["password"] = password
        place = re.split(r"[?;]", url)[0]
        tables = self._tables(model, table)
        choices = [self._choose(model, one) for one in tables]
        self.choice = choices[0]
        for other, one in zip(tables[1:], choices[1:], strict=True):
            if one.columns != self.choice.columns:
                raise UserError(
                    f"{model.name} cannot be compared: its source tables do not have the same"
                    f" columns: {self._whole(tables[0])} and {self._whole(other)}"
                )
        self._cells = " union all ".join(
            self._select(one, choice) for one, choice in zip(tables, choices, strict=True)
        )
        self.name = f"{place} {listed([self._whole(one) for one in tables], 3)}"
        columns = self.choice.columns
        key = [index for index, one in enumerate(columns) if one.name in model.key]
        texts = [f"c{index}" for index in range(len(columns))]
        self._row = row_text(texts, self._database.joined)
        self._key = row_text(
            [texts[index] for index in key or range(len(columns))], self._database.joined
        )

    def checksums(self, buckets: int) -> Checksums | None:
        """Return count and checksum of the rows by bucket, as the database computes them."""
        hashed = self._database.hash
        if not hashed:
            return None
        row, bucket = hashed.format(self._row), self._bucket(buckets)
        sums = ", ".join(
            f"{self._database.number_text.format(one)} as {name}"
            for one, name in (
                ("bucket", "bucket"), ("count(*)", "row_count"), ("sum(hashed)", "checksum"),
            )
        )  # fmt: skip
        inner = f"select {bucket} as bucket, {row} as hashed from ({self._cells}) cells"
        found = self._ask(f"select {sums} from ({inner}) hashes group by bucket")
        return {int(bucket): (int(rows), int(total or -1)) for bucket, rows, total in found}

    def rows(self, buckets: int, chosen: Iterable[int] | None) -> "DataFrame":
        """Return the texts of rows: of some of the buckets, or of all."""
        where = ""
        if chosen is not None:
            where = f" where {self._bucket(buckets)} in ({', '.join(map(str, chosen))})"
        columns = ", ".join(f"c{index}" for index in range(len(self.choice.columns)))
        return self._frame(f"select {columns} from ({self._cells}) cells{where}")

    def now(self) -> datetime:
        """Return the database's time."""
        database = self._database
        ((text,),) = self._ask(f"select {database.clock} as clock{database.no_table}")
        return datetime.fromisoformat(f"{text[:26]}").replace(tzinfo=timezone.utc)

    def _bucket(self, buckets: int) -> str:
        return f"mod({self._database.hash.format(self._key)}, {buckets})"

    def _frame(self, query: str) -> "DataFrame":
        try:
            return self._spark.read.format("jdbc").options(**self._options, query=query).load()
        except Exception as error:
            raise _refused(error) from None

    def _ask(self, query: str) -> list[list[Any]]:
        try:
            return [list(row) for row in self._frame(query).collect()]
        except UserError:
            raise
        except Exception as error:
            raise _refused(error) from None

    def _tables(self, model: Model, name: str | None) -> list[Name]:
        if pattern := model.meta.get("shards"):
            if name is not None:
                raise UserError(
                    f"{model.name} is made of several source tables: leave --source-table out"
                )
            found: list[Name] = [
                dict(zip(PARTS, row, strict=True)) for row in self._ask(self._database.tables)
            ]
            tables = [one for one in found if re.fullmatch(pattern, self._whole(one))]
            if not tables:
                raise UserError(f"the source has no table that matches {pattern}: check --jdbc")
            return sorted(tables, key=self._whole)
        if name is None:
            return [{part: model.meta.get(part) for part in PARTS}]
        # a name with a point stands in double quotes
        try:
            (given,) = csv.reader([name], delimiter=".")
        except csv.Error as error:
            raise UserError(f"--source-table {in_line(name)}: {error}") from None
        if not 1 <= len(given) <= len(self._database.parts):
            raise UserError(
                f"--source-table {name}: write {'.'.join(self._database.parts).upper()}"
            )
        return [dict(zip(self._database.parts[-len(given) :], given, strict=True))]

    def _choose(self, model: Model, table: Name) -> Choice:
        literals = {
            part: "null" if (text := table.get(part)) is None else _literal(text) for part in PARTS
        }
        types = {
            str(name): str(kind)
            for name, kind in self._ask(self._database.columns.format(**literals))
        }
        if not types:
            raise UserError(
                f"the source has no table {self._whole(table)} that this user can read: name it"
                " with --source-table"
            )
        held = {name: self._database.text(name, kind) for name, kind in types.items()}
        if shard := model.meta.get("shard"):
            held[shard], types[shard] = ("text", _literal(self._whole(table))), "text"
        return choose(model, held, types)

    def _select(self, table: Name, choice: Choice) -> str:
        names = [
            self._database.name(text) for one in self._database.parts if (text := table.get(one))
        ]
        texts = (choice.texts[one.name] for one in choice.columns)
        cells = ", ".join(f"{text} as c{index}" for index, text in enumerate(texts))
        return f"select {cells} from {'.'.join(names)}"

    @staticmethod
    def _whole(table: Name) -> str:
        parts = (table.get(one) for one in PARTS)
        return ".".join(one for one in parts if one)


def readable_file(file: Path) -> Path:
    """Return where a file is whatever the directory (dbt changes it); this needs no Spark.

    Args:
        file: as a person gives it.

    Raises:
        UserError: there is none, or Spark reads none of such a name.
    """
    file = absolute_path(file)
    if not file.is_file():
        raise UserError(f"--file {file}: there is no such file")
    if _UNREADABLE.search(str(file)):
        raise UserError(
            f"--file {file}: Spark reads no file of that name: rename it, without any of"
            " []{}*?:\\ and without . or _ in front"
        )
    if file.suffix.lower() not in _ENDINGS:
        raise UserError(f"--file {file}: write a name that ends with .csv, .parquet or .jsonl")
    if file.suffix.lower() == ".csv":
        # one limit for all of Python
        limit = csv.field_size_limit(MAX_FIELD_CHARACTERS)
        try:
            _check_csv(file)
        except UnicodeDecodeError:
            raise UserError(f"--file {file} is not UTF-8: save it as UTF-8") from None
        finally:
            csv.field_size_limit(limit)
    return file


def _check_csv(file: Path) -> None:
    # Spark would name neither the file nor the line.
    with file.open(newline="", encoding="utf-8-sig") as lines:
        rows = csv.reader(lines)
        header = next(rows, None)
        if not header:
            raise UserError(f"--file {file} is empty: its first line has to name the columns")
        if len(header) == 1 and (found := re.search("[;\t|]", header[0])):
            raise UserError(
                f"--file {file} has {found[0]!r} between its columns: write it with commas"
            )
        for row in rows:
            if row and len(row) != len(header):
                raise UserError(
                    f"--file {file}, line {rows.line_num}: {counted(len(row), 'field')}, where the"
                    f" header has {len(header)}"
                )


class FileSource:
    """A file: CSV with a header, Parquet, or a JSON object per line.

    In CSV and JSON, binary values are Base64 and times ISO 8601, as scripts/sql.py prints them.

    Args:
        spark: the session.
        model: the current table.
        file: a path as `readable_file()` returns it; its suffix tells the format.

    Raises:
        UserError: it cannot be read, or has the rows of several tables.
    """

    moves = False

    def __init__(self, spark: "SparkSession", model: Model, file: Path) -> None:
        self.name = str(file)
        if model.meta.get("shards"):
            raise UserError(
                f"{model.name} is made of several source tables, which --file cannot distinguish:"
                " compare it with --jdbc"
            )
        self._frame = _read(spark, file)
        types = {one.name: one.dataType.simpleString() for one in self._frame.schema}
        is_text = file.suffix.lower() != ".parquet"
        held = {name: _held(name, kind, is_text) for name, kind in types.items()}
        self.choice = choose(model, held, types)
        if is_text:
            for one in self.choice.columns:
                if one.kind == "binary":
                    text = sql_name(one.source)
                    decoded = f"lower(hex(try_to_binary({text}, 'base64')))"
                    self.choice.texts[one.name] = f"coalesce({decoded}, {text})"

    def checksums(self, buckets: int) -> Checksums | None:
        """Return None: a file is read once."""
        return None

    def rows(self, buckets: int, chosen: Iterable[int] | None) -> "DataFrame":
        """Return the texts of all rows."""
        texts = (self.choice.texts[one.name] for one in self.choice.columns)
        return self._frame.selectExpr(*(f"{text} as c{index}" for index, text in enumerate(texts)))

    def now(self) -> datetime:
        """Return the time of this machine."""
        return datetime.now(timezone.utc)


def normalised_rows(source: Source, buckets: int, chosen: Iterable[int] | None) -> "DataFrame":
    """Return a source's rows with the normalised text of each value, see texts.py."""
    rows = source.rows(buckets, chosen)
    columns: list[Column] = source.choice.columns
    rows = rows.toDF(*(f"c{index}" for index in range(len(columns))))
    return rows.selectExpr(
        *(f"{normalised(one, f'c{index}')} as c{index}" for index, one in enumerate(columns))
    )


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _refused(error: Exception) -> UserError:
    return UserError(f"the database refuses: {java_message(error)}: check --jdbc and --user")


def _held(name: str, spark_type: str, is_text: bool) -> tuple[str, str] | None:
    if spark_type.startswith(("array", "map", "struct", "variant")):
        return None
    text = sql_name(name)
    if spark_type == "binary" and not is_text:
        return "any", f"lower(hex({text}))"
    return "any", plain(text, spark_type)


def _read(spark: "SparkSession", file: Path) -> "DataFrame":
    kind = file.suffix.lower()
    place = f"file:{file}"
    if kind == ".parquet":
        return spark.read.parquet(place)
    if kind == ".csv":
        # an empty text is quoted, and null is an empty field
        options = {
            "header": True,
            "multiLine": True,
            "escape": '"',
            "nullValue": "\x00",
            "emptyValue": "",
            # otherwise extra fields of a row are silently dropped
            "mode": "FAILFAST",
        }
        return spark.read.options(**options).csv(place)
    return _read_json(spark, file)


def _read_json(spark: "SparkSession", file: Path) -> "DataFrame":
    # its columns are the names that any of its objects has
    from pyspark.sql import functions as f
    from pyspark.sql import types as t

    lines = spark.read.text(f"file:{file}").where("trim(value) != ''")
    names = lines.selectExpr("value", "json_object_keys(value) as names")
    if broken := names.where("names is null").first():
        text = in_line(broken.value)[:80]
        raise UserError(f"{file} has a line that is not a JSON object: {text}")
    found = names.selectExpr("explode(names) as name").distinct().collect()
    schema = t.StructType([t.StructField(row.name, t.StringType()) for row in found])
    # Spark reformats a number that it reads as text, and a long one loses digits
    quoted = f.expr(macro_sql("values", "numbers_quoted", "value"))
    return lines.select(f.from_json(quoted, schema).alias("row")).select("row.*")
