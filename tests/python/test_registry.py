"""Debezium's Avro with schemas in a registry: each is read once, and messages can wait for one."""

import base64
import contextlib
import datetime
import io
import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bronze_rows import AT, append_to_bronze, bronze_row
from changelake.build.runner import build_pending
from changelake.core.errors import UserError
from changelake.core.feeds import Feed
from changelake.landing import registry as landed_registry
from changelake.landing.bronze import ensure_bronze
from changelake.landing.registry import TABLE, read_schemas
from changelake.landing.registry_client import (
    AUTH_VARIABLE,
    URL_VARIABLE,
    named_registry,
)
from changelake.onboarding.model_files import write_table
from changelake.onboarding.tables import SourceColumn, SourceTable
from conftest import TopicMaker, bronze
from connect_avro import Registry, avro_schema

pytestmark = pytest.mark.e2e

FORMAT = "debezium_avro"
FEED = "avro"
FEEDS_OF_TABLES = {FEED: FORMAT}
FEEDS = [Feed(FEED, FORMAT, (FEED,))]
DECIMAL = "org.apache.kafka.connect.data.Decimal"


def field(name: str, kind: str, semantic: str = "", **more: Any) -> dict[str, Any]:
    """Return a nullable field of a Connect schema."""
    return (
        {"field": name, "type": kind, "optional": True}
        | ({"name": semantic} if semantic else {})
        | more
    )


COLUMNS = [
    {"field": "id", "type": "int32"},
    field("name", "string"),
    field("price", "bytes", DECIMAL, parameters={"scale": "2", "connect.decimal.precision": "10"}),
    field("huge", "bytes", DECIMAL, parameters={"scale": "0"}),
    field("day", "int32", "io.debezium.time.Date"),
    field("at", "int64", "io.debezium.time.MicroTimestamp"),
    field("zone", "int64", "org.apache.kafka.connect.data.Timestamp"),
    field("small", "int16"),
    field("ratio", "double"),
    field("single", "float"),
    field("raw", "bytes"),
    field("bits", "bytes", "io.debezium.data.Bits", parameters={"length": "5"}),
    field("yes", "boolean"),
    field("words", "array", items={"type": "string", "optional": True}),
    field("pairs", "map", keys={"type": "string"}, values={"type": "string", "optional": True}),
]
ROW_SCHEMA = {"type": "struct", "name": "s.store.orders.Value", "optional": True, "fields": COLUMNS}
SOURCE = {
    "type": "struct", "name": "io.debezium.connector.mysql.Source",
    "fields": [
        {"field": "version", "type": "string"}, {"field": "connector", "type": "string"},
        {"field": "name", "type": "string"}, {"field": "ts_ms", "type": "int64"},
        {"field": "db", "type": "string"}, field("table", "string"),
        {"field": "file", "type": "string"}, {"field": "pos", "type": "int64"},
        {"field": "row", "type": "int32"},
    ],
}  # fmt: skip
ENVELOPE = {
    "type": "struct", "name": "s.store.orders.Envelope", "version": 2,
    "fields": [
        {**ROW_SCHEMA, "field": "before"}, {**ROW_SCHEMA, "field": "after"},
        {**SOURCE, "field": "source"}, {"field": "op", "type": "string"}, field("ts_ms", "int64"),
    ],
}  # fmt: skip
KEY = {"type": "struct", "name": "s.store.orders.Key", "fields": COLUMNS[:1]}


def base64_of(number: int) -> str:
    """Return a number in two's complement, as Base64."""
    return base64.b64encode(number.to_bytes(30, "big", signed=True)).decode()


ROW = {
    "id": 1, "name": 'ß "x" \\ 🙂', "price": base64_of(-123), "huge": base64_of(10**64),
    "day": 20513, "at": 1_772_352_000_123_456, "zone": 1_772_352_000_123, "small": -7,
    "ratio": 0.1, "single": 0.1, "raw": "AP8=", "bits": "Cg==", "yes": True,
    "words": ["a", None], "pairs": {"k": None},
}  # fmt: skip
EXPECTED = {name: None if value is None else str(value) for name, value in ROW.items()} | {
    "yes": "true",
    "words": '["a",null]',
    "pairs": '{"k":null}',
}
TYPES = {
    "id": "int32", "name": "string", "price": f"{DECIMAL}:scale=2,precision=10",
    "huge": f"{DECIMAL}:scale=0", "day": "io.debezium.time.Date",
    "at": "io.debezium.time.MicroTimestamp", "zone": "org.apache.kafka.connect.data.Timestamp",
    "small": "int16", "ratio": "double", "single": "float", "raw": "bytes",
    "bits": "io.debezium.data.Bits:length=5", "yes": "boolean", "words": "array<string>",
    "pairs": "map",
}  # fmt: skip


def change(op: str, before: Any, after: Any, number: int) -> dict[str, Any]:
    """Return a Debezium envelope."""
    return {
        "before": before, "after": after, "op": op, "ts_ms": 1_772_352_000_456,
        "source": {
            "version": "3.5.0.Final", "connector": "mysql", "name": "s", "db": "store",
            "ts_ms": 1_772_352_000_000, "table": "orders", "file": "b.1", "pos": number, "row": 0,
        },
    }  # fmt: skip


class HttpRegistry:
    """A registry of either kind behind real HTTP, which records the requests."""

    def __init__(self, registry: Registry) -> None:
        self.asked: list[str] = []
        self.passwords: list[str | None] = []
        self.auth = ""
        self.registry = registry
        test = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                test.asked.append(self.path)
                test.passwords.append(self.headers["Authorization"])
                place, _, number = self.path.rpartition("/")
                found = test.registry.texts[int(number) - 1 : int(number)]
                if test.auth and self.headers["Authorization"] != test.auth:
                    self.send_error(401)
                elif not found:
                    self.send_error(404)
                else:
                    text = found[0]
                    if place == "/schemas/ids":
                        text = json.dumps({"schema": text})
                    self.send_response(200)
                    self.end_headers()
                    self.wfile.write(text.encode())

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        """Shut down."""
        self.server.shutdown()
        self.server.server_close()


class Lake:
    """A lake whose bronze messages have their schemas in one registry."""

    def __init__(self, spark: Any, project: Path) -> None:
        self.spark, self.project = spark, project
        self.offset = 0
        self.said = io.StringIO()
        columns = [SourceColumn(name, kind, name == "id") for name, kind in TYPES.items()]
        table = SourceTable(FEED, FORMAT, "mysql", "store", None, "orders", columns, ["id"])
        self.models = project / "models" / "current" / "registry"
        write_table(table, self.models)

    def land(self, *messages: tuple[bytes | None, bytes | None]) -> None:
        """Append keys and values to bronze."""
        ensure_bronze(self.spark)
        rows = []
        for key, value in messages:
            rows.append(bronze_row(FEED, FEED, 0, self.offset, AT, value, key))
            self.offset += 1
        append_to_bronze(self.spark, FORMAT, rows)

    def build(self) -> list[Any]:
        """Build what is pending, and return what failed."""
        built = build_pending(self.spark, "local", FEEDS, Console(file=self.said, width=200))
        return [(node.name, node.message) for node in built.failed]

    def outcomes(self) -> dict[str, int]:
        """Return the number of messages by outcome."""
        rows = self.spark.sql(
            f"select coalesce(reject_reason, outcome) as one from silver.{FORMAT}_events"
            f" where feed = '{FEED}'"
        ).collect()
        return dict(Counter(row.one for row in rows))


@pytest.fixture(scope="module")
def lake_of_avro(spark: Any, project: Path) -> Iterator[Lake]:
    """The lake."""
    lake = Lake(spark, project)
    yield lake
    for file in lake.models.iterdir():
        file.unlink()


@pytest.fixture
def http(monkeypatch: pytest.MonkeyPatch) -> Iterator[HttpRegistry]:
    """A running registry."""
    served = HttpRegistry(REGISTRY)
    monkeypatch.setenv(URL_VARIABLE, served.url)
    yield served
    served.stop()


REGISTRY = Registry()
SECRET = "s3cret"
CONFLUENT_HEADER = "0000000007"


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bytes]]:
    """The answer of a registry: tests put its parts here, which are sent with pauses."""
    parts: list[bytes] = []
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = server.accept()
                with client, contextlib.suppress(OSError):
                    client.recv(65_536)
                    for part in parts:
                        client.sendall(part)
                        time.sleep(0.05)

    threading.Thread(target=serve, daemon=True).start()
    port = server.getsockname()[1]
    monkeypatch.setenv(URL_VARIABLE, f"http://u:{SECRET}@127.0.0.1:{port}/")
    yield parts
    # Otherwise the thread would keep waiting on a file descriptor that the next server may get.
    server.shutdown(socket.SHUT_RDWR)
    server.close()


def asked(seconds: float = 5.0) -> str:
    """Return the registry's schema, or the error, which must not contain the secret."""
    try:
        return named_registry().schema(CONFLUENT_HEADER, 7, time.monotonic() + seconds)
    except UserError as error:
        assert SECRET not in str(error) and "\n" not in str(error)
        return f"{type(error).__name__}: {error}"


OK = b"HTTP/1.1 200 OK\r\n\r\n"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ([OK, b'{"schema": "\\"int\\""}'], '"int"'),
        ([OK, b"<html>log in</html>"], "UserError: the answer is not a schema"),
        ([OK], "UserError: the answer is not a schema"),
        ([OK, b"[" * 100_000], "UserError: the answer is not a schema"),
        ([OK, b"[1]"], "UserError: the answer is not a schema"),
        ([OK, b"\xff"], "UserError: the answer is not UTF-8"),
        ([OK, b'{"schema": "x", "schemaType": "JSON"}'], "UserError: it is JSON, not Avro"),
        (
            [OK, b'{"schema": "x", "references": [{"name": "y"}]}'],
            "UserError: it refers to other schemas",
        ),
        ([OK, *[b" " * 1_000_000] * 11], "UserError: the answer is larger than 10 MB"),
        ([b"HTTP/1.1 404 Not Found\r\n\r\n"], "UserError: the registry does not have it"),
        ([b"HTTP/1.1 503 Down\r\n\r\n"], "RegistryError: … says 503 Down"),
        ([b"HTTP/1.1 500 " + b"x" * 9_000 + b"\r\n\r\n"], f"RegistryError: … says 500 {'x' * 296}"),
        ([], "RegistryError: … gives no answer (Remote end closed connection without response)"),
        ([b"SSH-2.0-x\r\n"], "RegistryError: … gives no answer (SSH-2.0-x)"),
    ],
)  # fmt: skip
def test_any_answer_is_a_schema_or_one_line(
    answers: list[bytes], answer: list[bytes], expected: str
) -> None:
    answers += answer
    assert asked() == expected.replace("…", f"the schema registry {named_registry().url}")


def test_a_registry_that_sends_byte_by_byte_is_slow(answers: list[bytes]) -> None:
    answers += [OK, *[b" "] * 100]
    assert asked(seconds=0.3).endswith(" is slow")


def test_a_redirect_ends_and_leads_to_no_file(answers: list[bytes], tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_text('{"schema": "x"}')
    for place in (file.as_uri(), "/again"):
        answers[:] = [f"HTTP/1.1 302 Found\r\nLocation: {place}\r\n\r\n".encode()]
        assert asked().startswith(f"RegistryError: the schema registry {named_registry().url} says")


def test_another_host_gets_no_password(http: HttpRegistry, answers: list[bytes]) -> None:
    http.auth = "none is right"
    place = f"{http.url}/schemas/ids/1"
    answers.append(f"HTTP/1.1 302 Found\r\nLocation: {place}\r\n\r\n".encode())
    assert " says 401 " in asked()
    assert http.passwords == [None]


@pytest.mark.parametrize(
    "url", [f"u:{SECRET}@host:8081", f"//u:{SECRET}@host", f"http://u:{SECRET}@[::1", "host"]
)
def test_what_is_no_url_is_not_shown(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv(URL_VARIABLE, url)
    assert asked().startswith(f"UserError: {URL_VARIABLE} is not a URL")


def test_a_password_may_stand_in_the_url(
    http: HttpRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(URL_VARIABLE, http.url.replace("//", "//u:p%40q@"))
    http.auth = f"Basic {base64.b64encode(b'u:p@q').decode()}"
    assert asked() == "UserError: the registry does not have it"
    http.auth = "Basic dTpw"
    assert " says 401 " in asked()
    monkeypatch.setenv(AUTH_VARIABLE, "u:p")
    assert asked() == "UserError: the registry does not have it"


@pytest.mark.parametrize(
    "text",
    [
        None, "", "{", "[]", "5", "[" * 100_000, '{"versions": {"f": 1}}',
        '{"versions": 5, "wanted": []}', '{"versions": {"f": "x"}, "wanted": []}',
        '{"versions": {"f": null}, "wanted": []}', '{"versions": {"f": Infinity}, "wanted": []}',
        '{"versions": {"f": 1}, "wanted": 5}', '{"versions": {"f": 1}, "wanted": ["x"]}',
    ],
)  # fmt: skip
def test_a_broken_state_is_none(text: str | None) -> None:
    class Files:
        def read_text(self, *steps: str) -> str | None:
            return text

    files: Any = Files()
    assert landed_registry._state(files) == landed_registry._State({}, [])


def record(*fields: Any, name: str = "R") -> Any:
    """Return the Avro schema of a record with the fields a, b, …."""
    names = [{"name": one, "type": kind} for one, kind in zip("abc", fields, strict=False)]
    return {"type": "record", "name": name, "fields": names}


def nested(levels: int) -> Any:
    """Return the Avro schema of lists of lists."""
    return {"type": "array", "items": nested(levels - 1)} if levels else "int"


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (record("int", ["null", "string"], {"type": "map", "values": ["string", "null"]}), None),
        (record({"type": "int", "doc": "x" * 1_000_000}), None),
        (nested(20), None),
        ("{", "it is not JSON"),
        ({"type": "record"}, "Spark cannot read by it: "),
        (record(["null", "R"]), "Spark cannot read by it: Found recursive reference"),
        (record("int", name="changelake_wrapping"), "Spark cannot read by it: Can't redefine"),
        ([record("int"), record("int", name="R2")], "it has a union of several types"),
        (record(["null", "int", "string"]), "it has a union of several types"),
        ({"type": "record", "name": "R", "fields": [
            {"name": "id", "type": "int"}, {"name": "ID", "type": "int"}]},
         "it has fields whose names differ only in case"),
        (nested(300), "it has more than 50 levels"),
    ],
)  # fmt: skip
def test_a_schema_that_no_build_could_read_is_not_kept(
    spark: Any, schema: Any, expected: str | None
) -> None:
    text = schema if schema == "{" else json.dumps(schema)
    if expected is None:
        landed_registry._check(spark, text)
        return
    with pytest.raises(UserError) as error:
        landed_registry._check(spark, text)
    assert str(error.value).startswith(expected)
    assert "\n" not in str(error.value)


@pytest.mark.thorough
def test_messages_wait_for_their_schema(
    lake_of_avro: Lake, http: HttpRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake, spark = lake_of_avro, lake_of_avro.spark
    key = REGISTRY.message(KEY, {"id": 1})
    first = REGISTRY.message(ENVELOPE, change("c", None, ROW, 1))
    lake.land((key, first), (key, None))
    # First no registry is configured, then there is none at the URL.
    monkeypatch.delenv(URL_VARIABLE)
    assert (read_schemas(spark, FEEDS) or "").startswith("messages name schemas of a registry")
    monkeypatch.setenv(URL_VARIABLE, "http://127.0.0.1:9")
    remark = read_schemas(spark, FEEDS) or ""
    assert "gives no answer" in remark and "the next landing requests 2 schemas again" in remark
    assert lake.build() == []
    assert lake.outcomes() == {"unknown_schema": 1, "tombstone": 1}
    # The registry asks for a password.
    monkeypatch.setenv(URL_VARIABLE, http.url)
    http.auth = "Basic dTpw"
    assert "says 401" in (read_schemas(spark, FEEDS) or "")
    monkeypatch.setenv(AUTH_VARIABLE, "u:p")
    assert read_schemas(spark, FEEDS) is None
    assert lake.build() == []
    assert lake.outcomes() == {"events": 1, "tombstone": 1}
    (row,) = spark.sql(
        f"select * from silver.{FORMAT}_events where feed = '{FEED}' and outcome = 'events'"
    ).collect()
    assert (row.operation, row.database_name, row.table_name) == ("insert", "store", "orders")
    assert row.key_columns == ["id"]
    assert row.after == EXPECTED
    assert json.loads(row.column_types) == TYPES
    assert row.source_position == "b.1:1:0"
    # Known schemas are not requested again.
    http.asked.clear()
    lake.land((key, REGISTRY.message(ENVELOPE, change("u", ROW, {**ROW, "name": None}, 2))))
    assert read_schemas(spark, FEEDS) is None
    assert http.asked == []
    assert lake.build() == []
    assert lake.outcomes() == {"events": 2, "tombstone": 1}
    typed = spark.sql("select * from current.store__orders").collect()
    (row,) = typed
    assert (row.id, row.name, row.price) == (1, None, Decimal("-1.23"))
    # Connect does not give its precision.
    assert list(row._undecodable) == ["huge"]
    assert (row.day, row.at, row.zone) == (
        datetime.date(2026, 3, 1),
        datetime.datetime(2026, 3, 1, 8, 0, 0, 123456),
        datetime.datetime(2026, 3, 1, 8, 0, 0, 123000),
    )
    assert (row.small, row.ratio, bytes(row.raw), row.yes) == (-7, 0.1, b"\0\xff", True)


@pytest.mark.thorough
def test_ids_of_eight_bytes_and_unknown_ids(lake_of_avro: Lake, http: HttpRegistry) -> None:
    lake, spark = lake_of_avro, lake_of_avro.spark
    registry = Registry(id_bytes=8)
    # The ids are the same, but the schemas differ.
    value = registry.message(ENVELOPE, change("u", None, {"id": 1, "name": "eight"}, 3))
    key = registry.message(KEY, {"id": 1})
    broken = b"\0\0\0\0\x09x", b"\0\0\0\0\x63x"
    http.registry = registry
    registry.texts += ['{"type": "record"}'] * 7
    lake.land((key, value), *((None, one) for one in broken), (None, b"{}"))
    remark = read_schemas(spark, FEEDS) or ""
    assert sorted(http.asked) == [
        "/ids/globalIds/1", "/ids/globalIds/2", "/schemas/ids/9", "/schemas/ids/99",
    ]  # fmt: skip
    assert remark.startswith("schema ")
    assert lake.build() == []
    assert lake.outcomes() == {
        "events": 3, "tombstone": 1, "unknown_schema": 2, "malformed_avro": 1
    }  # fmt: skip
    assert [row.name for row in spark.sql("select name from current.store__orders").collect()] == [
        "eight"
    ]
    # A schema that is missing now may exist later.
    http.asked.clear()
    read_schemas(spark, FEEDS)
    assert sorted(http.asked) == ["/schemas/ids/9", "/schemas/ids/99"]


def test_landing_asks_the_registry_and_never_fails_for_it(
    run: Any, topic: TopicMaker, spark: Any, tmp_path: Path, http: HttpRegistry
) -> None:
    name = topic.create()
    feed = Feed("f", FORMAT, (name,))
    topic.publish(name, 1, value=REGISTRY.message(KEY, {"id": 1}))
    http.stop()
    (result,) = run(feed)
    assert (result.messages, result.error) == (1, None)
    assert "gives no answer" in (result.remark or "")
    again = HttpRegistry(REGISTRY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(URL_VARIABLE, again.url)
        # even though no new messages have come
        (result,) = run(feed)
        assert (result.messages, result.error, result.remark) == (0, None, None)
        assert len(again.asked) == 1
        (result,) = run(feed)
        assert (result.remark, len(again.asked)) == (None, 1)
    again.stop()
    (row,) = bronze(spark, tmp_path, TABLE).collect()
    assert (row.schema_id, row.registry, row.schema) == (
        int.from_bytes(bytes.fromhex(row.header[2:]), "big"), again.url,
        json.dumps(avro_schema(KEY)),
    )  # fmt: skip
