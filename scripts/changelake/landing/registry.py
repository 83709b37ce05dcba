"""The schemas of Avro messages: read from a schema registry once, and kept in the lake."""

import contextlib
import json
import re
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, cast

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from changelake.core import settings
from changelake.core.errors import UserError, java_message
from changelake.core.feeds import Feed
from changelake.core.file_locks import locked
from changelake.core.macros import macro_sql, macro_text
from changelake.core.quoting import sql_name, sql_string
from changelake.core.words import counted
from changelake.landing.bronze import SHOWN_CHARACTERS, BronzeTable
from changelake.landing.registry_client import (
    APICURIO,
    CONFLUENT,
    RegistryError,
    named_registry,
)
from changelake.spark.hadoop_files import HadoopFiles

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The formats whose messages begin with the id of a schema in a registry.
REGISTRY_FORMATS = ("debezium_avro",)
TABLE = "registry_schemas"
STATE = "registry.json"
# Messages can wait in bronze for their schema, but landing must not wait for a slow registry.
SECONDS = 30.0
# Other bytes can look like a header, and are then requested at each landing.
MAX_REQUESTS = 500
MAX_HEADERS = 10_000
# Connect's schemas have fewer than ten, and dbt's macros, which read them too, some hundred.
MAX_LEVELS = 50
HEADER = re.compile(r"00(?:[0-9A-F]{8}|0{8}[0-9A-F]{8})")


@dataclass
class _State:
    """How far bronze has been searched, by version, and which headers have no schema yet."""

    versions: dict[str, int]
    wanted: list[str]


def read_schemas(
    spark: "SparkSession", feeds: Iterable[Feed], root: str | None = None
) -> str | None:
    """Read the schemas of messages in bronze that the lake does not have yet.

    Args:
        spark: the session.
        feeds: whose messages have landed.
        root: the lake's place, by default CHANGELAKE_HOME.

    Returns:
        What went wrong, in a line; None if nothing did. What could not be read is asked for again
        the next time.
    """
    formats = sorted({feed.format for feed in feeds} & set(REGISTRY_FORMATS))
    if not formats:
        return None
    try:
        files = HadoopFiles(spark, settings.location(root=root))
        if not files.is_local:
            return _read_schemas(spark, files, formats, root)
        with locked("registry.lock", root=root):
            return _read_schemas(spark, files, formats, root)
    except (OSError, UserError, PySparkException, Py4JJavaError) as error:
        return f"no schemas could be read: {java_message(error)[:SHOWN_CHARACTERS]}"


def _read_schemas(
    spark: "SparkSession", files: HadoopFiles, formats: list[str], root: str | None
) -> str | None:
    state = _state(files)
    found = _new_headers([BronzeTable(spark, one, root) for one in formats], state)
    if not found and not state.wanted:
        return None
    schemas = BronzeTable(spark, TABLE, root)
    known = _known(schemas)
    state.wanted = [one for one in dict.fromkeys(found + state.wanted) if one not in known]
    remark = None
    if state.wanted:
        rows, asked, remark = _asked(spark, state.wanted)
        if rows:
            _create(spark, schemas.path)
            frame = spark.createDataFrame(
                rows, "header string, schema_id long, registry string, schema string"
            )
            frame.selectExpr("*", "current_timestamp() as read_at").coalesce(1).write.format(
                "delta"
            ).mode("append").save(schemas.path)
        read = {row[0] for row in rows}
        # those requested in vain come last the next time
        in_turn = state.wanted[asked:] + state.wanted[:asked]
        state.wanted = [one for one in in_turn if one not in read][:MAX_HEADERS]
    # After the schemas: what a kill leaves undone is found again in the same versions of bronze.
    files.write_text(json.dumps(asdict(state)), STATE)
    return remark


def _state(files: HadoopFiles) -> _State:
    # without a readable state, all of bronze is searched again
    with contextlib.suppress(
        ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError
    ):
        found: Any = json.loads(files.read_text(STATE) or "")
        versions = {str(name): int(version) for name, version in found["versions"].items()}
        wanted = [str(one) for one in found["wanted"]]
        if all(HEADER.fullmatch(one) for one in wanted):
            return _State(versions, wanted)
    return _State({}, [])


def _new_headers(tables: Iterable[BronzeTable], state: _State) -> list[str]:
    """Return the headers of keys and values in the versions of bronze that came since."""
    found: list[str] = []
    for table in tables:
        since, newest = state.versions.get(table.name), table.version()
        if newest < 0 or since == newest:
            continue
        try:
            if since is None:
                found += _headers(table.rows())
            else:
                added = table.rows(
                    readChangeFeed="true", startingVersion=since + 1, endingVersion=newest
                )
                found += _headers(added)
        except (PySparkException, Py4JJavaError):
            # Delta no longer has these changes
            found += _headers(table.rows())
        state.versions[table.name] = newest
    return found


def _headers(messages: Any) -> list[str]:
    headers = ", ".join(macro_sql("bronze", "registry_header", one) for one in ("key", "value"))
    rows = (
        messages.selectExpr(f"explode(array({headers})) as header")
        .where(f"length(header) = if(startswith(header, '0000000000'), {APICURIO}, {CONFLUENT})")
        .groupBy("header")
        .count()
        # bytes that only look like a header are seldom the same twice
        .orderBy("count", ascending=False)
        .limit(MAX_HEADERS)
        .collect()
    )
    return sorted(row.header for row in rows)


def _create(spark: "SparkSession", path: str) -> None:
    columns = macro_text("bronze", "registry_columns")
    spark.sql(
        f"create table if not exists delta.{sql_name(path)} ({columns})"
        " using delta tblproperties ('delta.appendOnly' = 'true')"
    )


def _known(schemas: BronzeTable) -> set[str]:
    if schemas.version() < 0:
        return set()
    return {row.header for row in schemas.rows().select("header").collect()}


def _asked(
    spark: "SparkSession", headers: list[str]
) -> tuple[list[tuple[str, int, str, str]], int, str | None]:
    """Ask the registry for schemas.

    Returns:
        A row of the table for each schema that it has, how many it was asked for, and what went
        wrong.
    """
    try:
        registry = named_registry()
    except UserError as error:
        return [], 0, str(error)
    rows: list[tuple[str, int, str, str]] = []
    asked, remark = 0, None
    deadline = time.monotonic() + SECONDS
    for header in headers[:MAX_REQUESTS]:
        schema_id = int(header[2:], 16)
        try:
            registry.check(deadline)
            asked += 1
            schema = kept_text(registry.schema(header, schema_id, deadline))
            _check(spark, schema)
            rows.append((header, schema_id, registry.url, schema))
        except RegistryError as error:
            left = len(headers) - len(rows)
            remark = f"{error}: the next landing requests {counted(left, 'schema')} again"
            break
        except UserError as error:
            remark = (
                f"schema {schema_id} of the registry {registry.url}: {error}: its messages stay"
                " rejects until the registry has it"
            )
    return rows, asked, remark


def kept_text(schema: str) -> str:
    """Return the text of an Avro schema as the lake keeps it."""
    # Connect's own type name says more about a decimal or a time: without Avro's logical type, the
    # raw value is read.
    return re.sub(r'"logicalType"(?=\s*:)', '"avro.logicalType"', schema)


def _check(spark: "SparkSession", schema: str) -> None:
    """Check that a build can read with a schema: it would fail, or misread the messages.

    Raises:
        UserError: it cannot.
    """
    try:
        read = json.loads(schema)
        wrapping = sql_string(macro_sql("events", "avro_wrapping", schema))
        spark.sql(f"select from_avro(X'', {wrapping})").schema  # noqa: B018
        oddity = _oddity(read)
    except (ValueError, RecursionError):
        raise UserError("it is not JSON") from None
    except (PySparkException, Py4JJavaError) as error:
        raise UserError(
            f"Spark cannot read by it: {java_message(error)[:SHOWN_CHARACTERS]}"
        ) from None
    if oddity:
        raise UserError(f"it has {oddity}")


def _oddity(kind: Any, levels: int = 0) -> str | None:
    """Return what in a schema, though valid Avro, Spark would read as something else."""
    if levels > MAX_LEVELS:
        return f"more than {MAX_LEVELS} levels"
    parts: list[Any] = []
    if isinstance(kind, list):
        parts = [one for one in cast(list[Any], kind) if one != "null"]
        if len(parts) > 1:
            return "a union of several types"
    elif isinstance(kind, dict):
        told = cast(dict[str, Any], kind)
        fields: list[dict[str, Any]] = told["fields"] if told["type"] == "record" else []
        if len({field["name"].lower() for field in fields}) < len(fields):
            return "fields whose names differ only in case"
        parts = [told["type"], told.get("items"), told.get("values")]
        parts += [field["type"] for field in fields]
    return next(filter(None, (_oddity(one, levels + 1) for one in parts)), None)
