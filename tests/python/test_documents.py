"""Collections under changes of documents against a model in plain Python, in several builds.

A change is written as DRS writes it, in the text of the Mongo shell; `$set` and `$unset` take
dotted paths and places in lists. After each build the current table is the collection.
"""

import datetime
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bronze_rows import append_to_bronze, bronze_row
from changelake.build.dbt import Build
from changelake.build.runner import build_pending
from changelake.core.feeds import Feed
from changelake.landing.bronze import ensure_bronze
from changelake.onboarding.model_files import write_table
from changelake.onboarding.tables import SourceColumn, SourceTable
from changelake.onboarding.values import Values
from compiled_text import compiled_text

pytestmark = pytest.mark.e2e

FEED, DATABASE = "documents", "docs"
FEEDS_OF_TABLES = {FEED: "drs_mongo"}
KINDS = {"_id": "int", "n": "long", "t": "string", "o": "object", "l": "array"}
NAMES = ("a", "b", "0", "键 \"'\\", "s")
SCALARS = (
    None, True, 0, -5, 2**31 - 1, 0.1, "", "5", "s", "null", "{", 'a"b\\c\n', "华 🙂",
    {"$oid": "65e1a0b2c3d4e5f607182901"}, {"$numberLong": "5"}, {"$date": "2026-03-01T08:00:00Z"},
)  # fmt: skip
CALLS = {"$oid": "ObjectId", "$numberLong": "NumberLong", "$date": "ISODate"}
Document = dict[str, Any]
# The fields of a document whose value nobody can know.
UNKNOWN = object()


def shell(value: Any) -> str:
    """Return a value of Extended JSON in the text of the Mongo shell."""
    if isinstance(value, dict):
        for name, call in CALLS.items():
            if name in value:
                return f'{call}("{value[name]}")'
        return "{" + ", ".join(f"{json.dumps(k)}: {shell(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(shell, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def patched(container: Any, path: list[str], value: Any, unset: bool) -> Any:
    """Return an object or list with a path set or unset; UNKNOWN where that changes nothing."""
    name, below = path[0], path[1:]
    if isinstance(container, list):
        if not name.isdigit():
            return UNKNOWN
        place = int(name)
        there = container[place] if place < len(container) else UNKNOWN
        if unset and not below:
            value = UNKNOWN if there is UNKNOWN else None
        elif below:
            value = patched(there, below, value, unset)
        if value is UNKNOWN:
            return UNKNOWN
        container = container + [None] * (place + 1 - len(container))
        return [*container[:place], value, *container[place + 1 :]]
    if not isinstance(container, dict) or next(iter(container), "").startswith("$"):
        if unset:
            return UNKNOWN
        container = {}
    if unset and not below:
        return {key: one for key, one in container.items() if key != name}
    if below:
        value = patched(container.get(name, UNKNOWN), below, value, unset)
    return UNKNOWN if value is UNKNOWN else {**container, name: value}


class Collection:
    """A collection, and the messages of what is done to it, each in any one of some partitions."""

    def __init__(self, name: str, partitions: int = 1) -> None:
        self.name = name
        self.partitions = partitions
        self.documents: dict[int, Document] = {}
        self.messages: list[dict[str, Any]] = []
        self.written = 0

    def _say(self, op: str, kind: str, value: Document, where: Document | None = None) -> None:
        # numbers of one digit and of two within a second, which texts compare wrong
        seconds, increment = divmod(len(self.messages), 25)
        second = 1_772_352_000 + seconds
        millis = second * 1000 + increment
        self.messages.append({
            "op": op, "dbType": "MongoDB", "db": DATABASE, "coll": self.name, "value": shell(value),
            "where": where and shell(where), "recordType": kind, "es": millis,
            "ts": millis, "clusterTime": f"{second}:{increment + 1}",
        })  # fmt: skip

    def put(self, document: Document, kind: str = "insert") -> None:
        """Insert a document, or replace the one of its key."""
        replaces = kind == "replace"
        where = {"_id": document["_id"]} if replaces else None
        self._say("UPDATE" if replaces else "INSERT", kind, document, where)
        self.documents[document["_id"]] = document

    def patch(self, key: int, sets: Document, unsets: tuple[str, ...] = ()) -> None:
        """Set and unset paths of a document; of one that was never seen whole, nothing is due."""
        value: Document = {"$set": sets} if sets else {}
        if unsets:
            value["$unset"] = dict.fromkeys(unsets, True)
        self._say("UPDATE", "update", value, {"_id": key})
        if key in self.documents:
            for path, one in sets.items():
                self._apply(key, path, one, False)
            for path in unsets:
                self._apply(key, path, None, True)

    def _apply(self, key: int, path: str, value: Any, unset: bool) -> None:
        found = patched(self.documents[key], path.split("."), value, unset)
        if found is not UNKNOWN:
            self.documents[key] = found

    def delete(self, key: int) -> None:
        """Delete a document."""
        self._say("DELETE", "doc", {"_id": key})
        del self.documents[key]

    def drop(self) -> None:
        """Drop the collection."""
        self._say("DDL", "command", {"drop": self.name})
        self.documents.clear()

    def new(self) -> list[dict[str, Any]]:
        """Return the messages since the last call."""
        found, self.written = self.messages[self.written :], len(self.messages)
        return found


def any_value(chance: random.Random, depth: int = 0) -> Any:
    kind = chance.random()
    if depth < 3 and kind < 0.3:
        names = chance.sample(NAMES, chance.randint(0, 3))
        return {name: any_value(chance, depth + 1) for name in names}
    if depth < 3 and kind < 0.5:
        return [any_value(chance, depth + 1) for _ in range(chance.randint(0, 3))]
    return chance.choice(SCALARS)


def any_document(chance: random.Random, key: int) -> Document:
    document: Document = {"_id": key}
    if chance.random() < 0.8:
        document["n"] = {"$numberLong": str(chance.randint(-(2**63), 2**63 - 1))}
    if chance.random() < 0.8:
        document["t"] = chance.choice(["", "5", 'a"b', "华"])
    for name in ("o", "l", "undeclared"):
        if chance.random() < 0.7:
            document[name] = any_value(chance)
    return document


def any_change(chance: random.Random, collection: Collection) -> None:
    known = list(collection.documents)
    kind = chance.random()
    if not known or kind < 0.2:
        key = chance.randint(1, 30)
        collection.put(any_document(chance, key), "replace" if key in known else "insert")
    elif kind < 0.3:
        collection.delete(chance.choice(known))
    elif kind < 0.31:
        collection.drop()
    else:
        depths = [chance.choice([0, 1, 1, 2, 4]) for _ in range(chance.randint(1, 3))]
        paths = {".".join([chance.choice("ol"), *chance.choices(NAMES, k=k)]) for k in depths}
        sets = {path: any_value(chance) for path in paths if chance.random() < 0.7}
        if chance.random() < 0.3:
            sets["t"] = chance.choice(["", "new"])
        # the source refuses two paths of which one begins with the other
        sets = {p: v for p, v in sets.items() if not any(q.startswith(f"{p}.") for q in paths)}
        unsets = tuple(
            path for path in paths - set(sets) if not any(q.startswith(f"{path}.") for q in paths)
        )
        if sets or unsets:
            collection.patch(chance.choice(known), sets, unsets)


class Runner:
    """Lands and builds batches, and reads the tables."""

    def __init__(self, spark: Any, project: Path, log: Path) -> None:
        self.spark = spark
        self.models = project / "models" / "current" / "documents"
        self.console = Console(file=log.open("w"), width=300)
        self.offsets = [0, 0]
        self.chance = random.Random(3)

    def onboard(self, collection: Collection) -> None:
        """Write the collection's model."""
        columns = [
            SourceColumn(name, None, name == "_id", Values(count=1, kinds=(kind,)))
            for name, kind in {**KINDS, "_document": "document"}.items()
        ]
        table = SourceTable(
            FEED, "drs_mongo", "mongodb", DATABASE, None, collection.name, columns, ["_id"]
        )
        write_table(table, self.models)

    def build(self, *collections: Collection) -> None:
        """Land what was done to the collections since the last time, and build."""
        now = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
        rows = []
        for collection in collections:
            for message in collection.new():
                value = json.dumps(message, ensure_ascii=False).encode()
                partition = self.chance.randrange(collection.partitions)
                offset = self.offsets[partition]
                rows.append(bronze_row(FEED, FEED, partition, offset, now, value))
                self.offsets[partition] += 1
        append_to_bronze(self.spark, "drs_mongo", rows)
        built = build_pending(self.spark, "local", [Feed(FEED, "drs_mongo", (FEED,))], self.console)
        assert [node.message for node in built.failed + built.failed_tests] == []

    def rows(self, collection: Collection) -> dict[int, dict[str, Any]]:
        """Return the current table by key."""
        found = self.spark.sql(f"select * from current.{DATABASE}__{collection.name}").collect()
        return {row["_id"]: row.asDict(recursive=True) for row in found}


@pytest.fixture(scope="module")
def runner(spark: Any, project: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    ensure_bronze(spark)
    work = Runner(spark, project, tmp_path_factory.mktemp("documents") / "log")
    yield work
    for file in work.models.iterdir():
        file.unlink()


def check(runner: Runner, collection: Collection) -> None:
    """Compare a table with its collection: whole documents, and fields as columns."""
    found = runner.rows(collection)
    assert sorted(found) == sorted(collection.documents)
    for key, document in collection.documents.items():
        row = found[key]
        text = json.loads(row["_document"])
        # also the order of the fields
        assert json.dumps(text) == json.dumps(document)
        number = document.get("n", {}).get("$numberLong")
        assert row["n"] == (None if number is None else int(number))
        for name in ("t", "o", "l"):
            due = document.get(name)
            if not isinstance(due, dict | list):
                due = str(due).lower() if isinstance(due, bool) else due
                assert row[name] == (due if due is None or isinstance(due, str) else str(due))
            else:
                assert json.loads(row[name]) == due
        assert row["_undecodable"] is None


@pytest.fixture(scope="module")
def never_whole(runner: Runner) -> list[dict[int, dict[str, Any]]]:
    """Return the rows after each batch, of documents of which only patches came."""
    return []


@pytest.fixture(scope="module")
def collections(runner: Runner, never_whole: list[dict[int, dict[str, Any]]]) -> list[Collection]:
    """Collections that change at random, built batch by batch and compared after each."""
    changing = [Collection("once"), Collection("parts"), Collection("apart", partitions=2)]
    chances = [random.Random(1), random.Random(2), random.Random(4)]
    patched_only = Collection("never_whole")
    steps = never_whole_steps(patched_only)
    for collection in (*changing, patched_only):
        runner.onboard(collection)
    for batch in range(3):
        for collection, chance in zip(changing, chances, strict=True):
            for _ in range(400 if collection.name == "once" else (60, 300, 40)[batch]):
                if collection.name != "once" or batch == 0:
                    any_change(chance, collection)
        # a range that is sent again changes nothing
        changing[1].messages += changing[1].messages[-5:] if batch == 1 else []
        next(steps)
        runner.build(*changing, patched_only)
        never_whole.append(runner.rows(patched_only))
        for collection in changing:
            check(runner, collection)
    return changing


def never_whole_steps(some: Collection) -> Iterator[None]:
    """Change documents that were never seen whole, in three batches."""
    some.patch(1, {"t": "x", "o.a": 1})
    some.patch(2, {"o": {"a": 1}})
    some.patch(2, {"o.a": 2, "o.b": [1]})
    some.put({"_id": 3, "o": {"a": 1}, "t": "whole"})
    some.delete(3)
    some.put({"_id": 4, "t": "old", "l": [1, 2], "o": {}})
    yield
    some.patch(1, {"t": "y", "n": {"$numberLong": "5"}})
    # what o is now cannot be told from the part of it that changed
    some.patch(2, {"t": "z"}, ("o.a",))
    some.delete(4)
    some.patch(4, {"t": "x", "l.1": 7})
    yield
    some.put({"_id": 1, "t": "whole"}, "replace")
    yield


def test_collections_are_as_at_the_source(runner: Runner, collections: list[Collection]) -> None:
    for collection in collections:
        check(runner, collection)


@pytest.mark.thorough
def test_collections_built_anew_are_the_same(runner: Runner, collections: list[Collection]) -> None:
    build = Build(runner.spark, "local", lambda node: None)
    models = [f"{DATABASE}__{one.name}" for one in collections]
    assert not build.invoke("run", "--full-refresh", "--select", *models).failed
    for collection in collections:
        check(runner, collection)


def test_of_a_document_never_seen_whole_only_what_came_is_known(
    collections: list[Collection], never_whole: list[dict[int, dict[str, Any]]]
) -> None:
    assert collections
    first, second, third = never_whole
    assert sorted(first) == [1, 2, 4]
    assert (first[1]["t"], first[1]["o"], first[1]["_document"]) == ("x", None, None)
    assert first[1]["_undecodable"] == dict.fromkeys(("n", "o", "l", "_document"))
    assert json.loads(first[2]["o"]) == {"a": 2, "b": [1]}
    assert first[2]["_undecodable"] == dict.fromkeys(("n", "t", "l", "_document"))
    assert (first[4]["t"], first[4]["_undecodable"]) == ("old", None)

    assert (second[1]["t"], second[1]["n"], second[1]["_document"]) == ("y", 5, None)
    assert second[1]["_undecodable"] == dict.fromkeys(("o", "l", "_document"))
    assert (second[2]["t"], second[2]["o"]) == ("z", None)
    assert second[2]["_undecodable"] == dict.fromkeys(("n", "o", "l", "_document"))
    # of the document that was there before nothing is left
    assert second[4]["t"] == "x"
    assert [second[4][name] for name in ("n", "o", "l", "_document")] == [None] * 4
    assert second[4]["_undecodable"] == dict.fromkeys(("n", "o", "l", "_document"))

    assert (third[1]["t"], third[1]["n"], third[1]["_undecodable"]) == ("whole", None, None)


def test_lists_are_cut(spark: Any, project: Path) -> None:
    """What Debezium calls truncated arrays: a place behind the cut is set only after it."""
    assert project
    document = {"_id": 1, "l": [1, "s", None, {"a": [5, 6]}], "o": {"m": [[1, 2], "3"]}, "t": "x"}
    cases: list[tuple[Document, Document]] = [
        ({"$truncate": {"l": 2}}, {"l": [1, "s"]}),
        ({"$truncate": {"l": 0, "o.m": 1}}, {"l": [], "o": {"m": [[1, 2]]}}),
        ({"$truncate": {"l.3.a": 1, "o.m.0": 0}}, {
            "l": [1, "s", None, {"a": [5]}], "o": {"m": [[], "3"]},
        }),
        ({"$set": {"l.2": 9, "l.1": 8}, "$truncate": {"l": 2}, "$unset": {"t": True}}, {
            "l": [1, 8, 9], "t": UNKNOWN,
        }),
        # what is not as long, no list, or not there
        ({"$truncate": {"l": 4, "l.0": 1, "o": 1, "t": 0, "none.a": 0}}, {}),
        ({"$truncate": {"l": 99}}, {}),
        ({"$truncate": {"l": 3}, "$set": {}}, {"l": [1, "s", None]}),
    ]  # fmt: skip
    patched_by = compiled_text("{{ document_patched('document', 'array(patch)') }}")
    rows = [(place, json.dumps(document), json.dumps(case[0])) for place, case in enumerate(cases)]
    frame = spark.createDataFrame(rows, "place int, document string, patch string")
    frame.createOrReplaceTempView("cut_documents")
    found = spark.sql(f"select {patched_by} from cut_documents order by place").collect()
    for (text,), (_, changed) in zip(found, cases, strict=True):
        due = {name: one for name, one in (document | changed).items() if one is not UNKNOWN}
        assert json.dumps(json.loads(text)) == json.dumps(due)
