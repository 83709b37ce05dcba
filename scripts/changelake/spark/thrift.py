"""Spark's Thrift server: that of target cluster, or the one in a process that serves its lake."""

import json
import os
import socket
from collections.abc import Iterable, Sequence
from typing import Any

from changelake.core import settings
from changelake.core.errors import UserError, sql_error
from changelake.core.quoting import sql_name, sql_string
from changelake.spark.profile import profile_file, profile_target
from changelake.spark.serving import HOST, Served

HOST_VARIABLE = "CHANGELAKE_THRIFT_HOST"
PORT_VARIABLE = "CHANGELAKE_THRIFT_PORT"
CONNECT_SECONDS = 10.0


def check_server() -> None:
    """Check that something listens at the Thrift server's address.

    Raises:
        UserError: nothing does.
    """
    target = profile_target(settings.CLUSTER)
    if missing := [name for name in ("host", "port") if name not in target]:
        raise UserError(f"{profile_file()} has no {missing[0]!r} in target cluster: add it")
    port = os.environ.get(PORT_VARIABLE, "1")
    if not (port.isdecimal() and 0 < int(port) < 65536):
        raise UserError(f"{PORT_VARIABLE}={port}: write a port such as 10000, or unset it")
    try:
        address = (str(target["host"]), int(target["port"]))
        socket.create_connection(address, timeout=CONNECT_SECONDS).close()
    except (OSError, ValueError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        unset = "" if os.environ.get(HOST_VARIABLE) else f"{HOST_VARIABLE} is not set, and "
        raise UserError(
            f"{unset}the Thrift server at {_place(target)} does not answer: {reason}:"
            f" set {HOST_VARIABLE} and {PORT_VARIABLE} to where it listens"
        ) from None


def connect(served: Served | None = None) -> Any:
    """Return a connection of PyHive's to a Thrift server.

    Args:
        served: the lake that a process serves; None: the server of target cluster.

    Raises:
        UserError: the server does not answer, or PyHive is not installed.
    """
    if served:
        # any user name will do, and a container's user may have none
        target: dict[str, Any] = {"host": HOST, "port": served.port, "user": "changelake"}
    else:
        # first, since PyHive is of no use without a server
        check_server()
        target = profile_target(settings.CLUSTER)
    try:
        from pyhive import hive
    except ImportError:
        raise UserError("a Thrift server needs PyHive: run `make setup`") from None
    try:
        return hive.connect(
            host=str(target["host"]),
            port=int(target["port"]),
            username=target.get("user"),
            auth=target.get("auth"),
            password=target.get("password"),
            configuration=target.get("server_side_parameters") or None,
        )
    except Exception as error:
        reason = " ".join(str(error).split())
        checked = (
            f"restart process {served.process}, run.py --every … --serve"
            if served
            else f"check user, password and auth of target cluster in {profile_file()}, and look"
            " into the server's log"
        )
        raise UserError(
            f"the Thrift server at {_place(target)} does not answer: {reason}: {checked}"
        ) from None


def _place(target: dict[str, Any]) -> str:
    return f"{target['host']}:{target['port']}"


class ThriftSession:
    """A session of a Thrift server's, with what builds and onboarding ask of an embedded one.

    Args:
        served: the lake that a process serves; None: the server of target cluster.

    Raises:
        UserError: the server does not answer, or PyHive is not installed.

    Attributes:
        connection: PyHive's.
        catalog: says what there is.
    """

    def __init__(self, served: Served | None = None) -> None:
        self.connection = connect(served)
        self.catalog = ThriftCatalog(self.connection)

    def sql(self, statement: str, /) -> "ThriftRows":
        """Run a statement to its end.

        Raises:
            UserError: Spark refuses it.
        """
        try:
            cursor = self.connection.cursor()
            cursor.execute(statement)
        except Exception as error:
            raise sql_error(error) from None
        return ThriftRows(cursor)


class ThriftRows:
    """The rows of a statement.

    Args:
        cursor: PyHive's, on which it has run.
    """

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor

    def collect(self) -> list[Any]:
        """Return the rows as Spark has them, with arrays, which the server sends as JSON.

        Raises:
            UserError: the server does not send them.
        """
        from pyspark.sql import Row

        columns: list[Any] = self._cursor.description or []
        if not columns:
            return []
        row = Row(*(name for name, *_ in columns))
        kinds = [kind for _, kind, *_ in columns]
        try:
            fetched: list[Any] = list(self._cursor)
        except Exception as error:
            raise sql_error(error) from None
        return [row(*map(_value, kinds, values)) for values in fetched]


def _value(kind: str, value: Any) -> Any:
    return json.loads(value) if kind == "ARRAY_TYPE" and value is not None else value


class ThriftCatalog:
    """What the server's catalog holds.

    Args:
        connection: PyHive's.
    """

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def databaseExists(self, name: str, /) -> bool:  # noqa: N802 - as Spark's own
        """Say whether there is a schema."""
        return bool(self._rows(f"show schemas like {sql_string(name)}"))

    def tableExists(self, name: str, /) -> bool:  # noqa: N802 - as Spark's own
        """Say whether there is a table or view, by its name with its schema's."""
        schema, _, relation = name.replace("`", "").partition(".")
        # Spark lists them in lower case
        return (schema, relation.lower()) in self.relations([schema])

    def relations(self, schemas: Iterable[str]) -> list[tuple[str, str]]:
        """Return schema and name of each relation in some schemas, which need not all exist.

        Raises:
            UserError: the server does not say.
        """
        # A missing schema raises an error, and so does a server that is down: listing the schemas
        # first tells them apart.
        there = self._schemas()
        return [
            (row[0], row[1])
            for schema in schemas
            if schema.lower() in there
            for row in self._rows(f"show tables in {sql_name(schema)}")
        ]

    def all_relations(self, first: Sequence[str]) -> list[tuple[str, str]]:
        """Return schema and name of all relations, see all_relation_names().

        Args:
            first: the schemas to begin with; Spark's own empty one, `default`, is left out.

        Raises:
            UserError: the server does not say.
        """
        return self.relations([*first, *sorted(self._schemas() - {*first, "default"})])

    def _schemas(self) -> set[str]:
        return {str(row[0]).lower() for row in self._rows("show schemas")}

    def _rows(self, statement: str) -> list[Any]:
        try:
            cursor = self._connection.cursor()
            cursor.execute(statement)
            return list(cursor)
        except Exception as error:
            raise sql_error(error) from None
