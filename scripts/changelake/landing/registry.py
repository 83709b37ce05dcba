"""The schemas of Avro messages: read from a schema registry once, and kept in the lake."""

import base64
import contextlib
import json
import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit, urlunsplit

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from changelake.core import settings
from changelake.core.errors import UserError, java_message
from changelake.core.feeds import Feed
from changelake.core.macros import macro_sql, macro_text
from changelake.core.quoting import sql_name, sql_string
from changelake.landing.bronze import SHOWN_LETTERS, bronze_version
from changelake.spark.hadoop_files import HadoopFiles

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The formats whose messages begin with the id of a schema.
FORMATS = ("debezium_avro",)
TABLE = "registry_schemas"
URL_VARIABLE = "CHANGELAKE_SCHEMA_REGISTRY"
AUTH_VARIABLE = "CHANGELAKE_SCHEMA_REGISTRY_AUTH"
# In hexadecimal, with the byte of 0 in front: four bytes of Confluent's, eight of Apicurio's.
CONFLUENT, APICURIO = 10, 18
# Messages wait in bronze for their schema; landing waits for no registry.
SECONDS, SECONDS_OF_A_REQUEST = 30.0, 5.0
# Bytes that are none of a header can look like one, and are asked for at each landing.
MOST_REQUESTS = 500
MOST_HEADERS = 10_000
LARGEST_SCHEMA = 10_000_000
# Connect's own name says more of a decimal or a time: without Avro's, a value is read as it stands.
LOGICAL_TYPE = re.compile(r'"logicalType"(?=\s*:)')
READ_AS = '"avro.logicalType"'


class RegistryError(UserError):
    """The registry gives no answer, so that there is no use in asking for more."""


@dataclass
class _State:
    """What is known of bronze: up to which version, and which headers have no schema yet."""

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
    formats = sorted({feed.format for feed in feeds} & set(FORMATS))
    if not formats:
        return None
    try:
        files = HadoopFiles(spark, settings.location(root=root))
        if not files.is_local:
            return _read_schemas(spark, files, formats, root)
        with settings.locked("registry.lock", root=root):
            return _read_schemas(spark, files, formats, root)
    except (OSError, PySparkException, Py4JJavaError) as error:
        return f"no schemas could be read: {java_message(error)[:SHOWN_LETTERS]}"


def _read_schemas(
    spark: "SparkSession", files: HadoopFiles, formats: list[str], root: str | None
) -> str | None:
    state = _state(files)
    found = _new_headers(spark, state, formats, root)
    if not found and not state.wanted:
        return None
    known = _known(spark, root)
    state.wanted = [one for one in dict.fromkeys(found + state.wanted) if one not in known]
    remark = None
    if state.wanted:
        rows, remark = _asked(spark, state.wanted)
        if rows:
            _table(spark, root)
            frame = spark.createDataFrame(
                rows, "header string, schema_id long, registry string, schema string"
            )
            frame.selectExpr("*", "current_timestamp() as read_at").coalesce(1).write.format(
                "delta"
            ).mode("append").save(settings.bronze(TABLE, root))
        read = {row[0] for row in rows}
        # those that were asked for in vain come last the next time
        tried = state.wanted[:MOST_REQUESTS]
        state.wanted = [one for one in state.wanted[MOST_REQUESTS:] + tried if one not in read][
            :MOST_HEADERS
        ]
    # Behind the schemas: what a kill leaves undone is found again in the same versions.
    files.write_text(json.dumps(state.__dict__), "registry.json")
    return remark


def _state(files: HadoopFiles) -> _State:
    # without it all of bronze is looked through once more
    with contextlib.suppress(ValueError, TypeError):
        return _State(**json.loads(files.read_text("registry.json") or ""))
    return _State({}, [])


def _new_headers(
    spark: "SparkSession", state: _State, formats: list[str], root: str | None
) -> list[str]:
    """Return the headers of keys and values in the versions of bronze that came since."""
    found: list[str] = []
    for format_id in formats:
        since, newest = state.versions.get(format_id), bronze_version(spark, format_id, root)
        if newest < 0 or since == newest:
            continue
        path, whole = settings.bronze(format_id, root), spark.read.format("delta")
        try:
            if since is None:
                found += _headers(whole.load(path))
            else:
                changes = spark.read.format("delta").option("readChangeFeed", "true")
                added = changes.option("startingVersion", since + 1)
                found += _headers(added.option("endingVersion", newest).load(path))
        except (PySparkException, Py4JJavaError):
            # the changes of so long ago are gone
            found += _headers(whole.load(path))
        state.versions[format_id] = newest
    return found


def _headers(messages: Any) -> list[str]:
    headers = ", ".join(macro_sql("events", "registry_header", one) for one in ("key", "value"))
    rows = (
        messages.selectExpr(f"explode(array({headers})) as header")
        .where(f"length(header) = if(startswith(header, '0000000000'), {APICURIO}, {CONFLUENT})")
        .distinct()
        .limit(MOST_HEADERS)
        .collect()
    )
    return sorted(row.header for row in rows)


def _table(spark: "SparkSession", root: str | None) -> None:
    path, columns = settings.bronze(TABLE, root), macro_text("events", "registry_columns")
    spark.sql(
        f"create table if not exists delta.{sql_name(path)} ({columns})"
        " using delta tblproperties ('delta.appendOnly' = 'true')"
    )


def _known(spark: "SparkSession", root: str | None) -> set[str]:
    if bronze_version(spark, TABLE, root) < 0:
        return set()
    table = spark.read.format("delta").load(settings.bronze(TABLE, root))
    return {row.header for row in table.select("header").collect()}


def _asked(
    spark: "SparkSession", headers: list[str]
) -> tuple[list[tuple[str, int, str, str]], str | None]:
    """Return a row of the table for each schema that the registry has, and what went wrong."""
    url = os.environ.get(URL_VARIABLE, "").strip().rstrip("/")
    if not url:
        return [], f"messages name schemas of a registry: set {URL_VARIABLE} to its URL"
    rows: list[tuple[str, int, str, str]] = []
    remark = None
    deadline = time.monotonic() + SECONDS
    for header in headers[:MOST_REQUESTS]:
        schema_id = int(header[2:], 16)
        try:
            if time.monotonic() > deadline:
                raise RegistryError(f"the schema registry {_shown(url)} is slow")
            schema = LOGICAL_TYPE.sub(READ_AS, _schema(url, header, schema_id))
            _check(spark, schema)
            rows.append((header, schema_id, _shown(url), schema))
        except RegistryError as error:
            return rows, f"{error}: {len(headers) - len(rows)} schemas are asked for again"
        except UserError as error:
            remark = f"schema {schema_id} of the registry {_shown(url)}: {error}"
    return rows, remark


def _schema(url: str, header: str, schema_id: int) -> str:
    """Return the text of a schema, by the API whose ids are of this length.

    Raises:
        UserError: the registry does not have it, or it is none of Avro's.
        RegistryError: the registry gives no answer.
    """
    if len(header) == APICURIO:
        return _get(f"{url}/ids/globalIds/{schema_id}")
    answer = _get(f"{url}/schemas/ids/{schema_id}")
    try:
        found = cast(dict[str, Any], json.loads(answer))
        kind, references = found.get("schemaType", "AVRO"), found.get("references")
        schema = str(found["schema"])
    except (ValueError, KeyError, AttributeError):
        raise UserError("the answer is no schema") from None
    if kind != "AVRO" or references:
        raise UserError("it refers to others" if references else f"it is {kind}, and no Avro")
    return schema


def _get(url: str) -> str:
    request = urllib.request.Request(url, headers={"Accept": "application/json, */*"})
    if auth := os.environ.get(AUTH_VARIABLE, ""):
        request.add_header("Authorization", f"Basic {base64.b64encode(auth.encode()).decode()}")
    try:
        with urllib.request.urlopen(request, timeout=SECONDS_OF_A_REQUEST) as response:
            return str(response.read(LARGEST_SCHEMA).decode())
    except urllib.error.HTTPError as error:
        if error.code == 404:
            raise UserError("the registry does not have it") from None
        raise RegistryError(
            f"the schema registry {_shown(url)} says {error.code} {error.reason}"
        ) from None
    except UnicodeDecodeError:
        raise UserError("the answer is not UTF-8") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, FileNotFoundError):
            # a directory in the place of a registry
            raise UserError("there is no such file") from None
        raise RegistryError(
            f"the schema registry {_shown(url)} gives no answer ({reason})"
        ) from None


def _check(spark: "SparkSession", schema: str) -> None:
    """Check that Spark can read by a schema: a build that could not would end.

    Raises:
        UserError: it cannot.
    """
    try:
        json.loads(schema)
        spark.sql(f"select from_avro(X'', {sql_string(schema)})").schema  # noqa: B018
    except ValueError:
        raise UserError("it is no JSON") from None
    except (PySparkException, Py4JJavaError) as error:
        raise UserError(f"Spark cannot read by it: {java_message(error)[:SHOWN_LETTERS]}") from None


def _shown(url: str) -> str:
    """Return a URL without a password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
