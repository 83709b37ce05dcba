"""Each parser reads JSON once, and one logical change becomes the same row in every dialect."""

import json
import re
from typing import Any

import pytest

from changelake.core.feeds import FORMATS
from contract_messages import CHANGES, DDL, LACKS, WRITERS, changed_columns
from parsed_messages import ParsedMessages, changes_of_messages

pytestmark = pytest.mark.e2e

# Columns that some dialects lack or fill in their own way.
NOT_COMPARED = (
    "format", "source_type", "captured_at", "column_types", "source_position", "transaction_id",
    "parse_batch", "message_number", "bronze_version", "kafka_offset",
)  # fmt: skip
# The name of Debezium's server, or of OMS's tenant; other formats name none.
SOURCE_NAMES = {
    "debezium": "s", "debezium_avro": "s", "debezium_mongodb": "s", "oceanbase_default": "tenant",
    "oceanbase_default_extended": "tenant", "oceanbase_dataworks": "tenant",
}  # fmt: skip
# Formats whose messages do not name the key.
NAMELESS_KEYS = {
    "oceanbase_shareplex", "ckafka_format_one", "drs_avro", "dms_json",
}  # fmt: skip


def _renamed(row: dict[str, Any]) -> dict[str, Any]:
    return {"_id" if name == "id" else name: value for name, value in row.items()}


@pytest.fixture(scope="module")
def events(
    told: ParsedMessages, parsers: dict[str, str]
) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """The contract's rows by format and change."""
    result: dict[str, dict[str, list[dict[str, Any]]]] = {}
    # A new format only needs a writer of its messages, no test of its own.
    assert set(parsers) == set(WRITERS)
    for format_id in WRITERS:
        result[format_id] = {}
        changes = changes_of_messages(format_id)
        for change, rows in zip(changes, told.of(format_id, "messages")[1], strict=True):
            events = [row.event.asDict(recursive=True) for row in rows]
            rejects = [one for one in events if one["reject_reason"] or one["reject_detail"]]
            assert (format_id, rejects) == (format_id, [])
            result[format_id].setdefault(change, []).extend(
                {name: value for name, value in event.items() if name not in NOT_COMPARED}
                for event in sorted(events, key=lambda one: one["row_index"])
                # The first half of an update has no type.
                if event["event_type"] is not None
            )
    return result


@pytest.mark.parametrize("change", [*CHANGES, "ddl"])
@pytest.mark.parametrize("format_id", sorted(set(WRITERS) - {"canal"}))
def test_every_dialect_says_the_same(events: Any, format_id: str, change: str) -> None:
    if change in LACKS.get(format_id, ()):
        pytest.skip(f"{format_id} has no {change}")
    (due,), found = events["canal"][change], events[format_id][change]
    due = {**due, "source_name": SOURCE_NAMES.get(format_id)}
    if format_id in NAMELESS_KEYS and change != "ddl":
        due["key_columns"] = None
    if format_id == "oceanbase_shareplex" and due["operation"] == "update":
        changed = changed_columns(due["before"], due["after"])
        due |= {"after": changed, "is_partial": True}
    if format_id == "dms_json":
        # `schema-name` may be a schema or a database; for DDL it sends the table's new definition.
        due |= {"database_name": None, "schema_name": "shop"}
        if change == "ddl":
            due |= {
                "key_columns": [],
                "ddl": '{"table-def":{"columns":{"id":{"type":"INT32","nullable":false}}}}',
            }
    if format_id == "ogg_json":
        # The part before the table's name is its schema, and updates may be partial.
        due |= {"database_name": None, "schema_name": due["database_name"]}
        due["is_partial"] = due["operation"] == "update"
    if format_id in ("debezium_mongodb", "drs_mongo"):
        # The key has another name, the row before is only the key, and there is the whole document.
        due["key_columns"] = ["_id"]
        if due["before"]:
            due["before"] = {"_id": due["before"]["id"]}
        if due["after"]:
            document = json.loads(found[0]["after"]["_document"])
            assert {**document, "_id": str(document["_id"])} == _renamed(due["after"])
            written = found[0]["after"]["_document"]
            due["after"] = {**_renamed(due["after"]), "_document": written}
    if format_id in ("debezium", "debezium_avro") and change == "key_change":
        assert [row["operation"] for row in found] == ["delete", "insert"]
        images = {"operation", "before", "after"}
        found = [{**found[1], "operation": "update", "before": found[0]["before"]}]
        assert {name for name in found[0] if found[0][name] != due[name]} - images == set()
    assert found == [due]


def test_what_it_says(events: Any) -> None:
    for change, (before, after) in CHANGES.items():
        (row,) = events["canal"][change]
        operation = "update" if change == "key_change" else change
        assert (row["event_type"], row["operation"]) == ("row", operation)
        assert (row["before"], row["after"], row["is_partial"]) == (before, after, False)
        assert (row["database_name"], row["table_name"]) == ("shop", "orders")
        assert (row["key_columns"], row["committed_at"].year) == (["id"], 2026)
    (row,) = events["canal"]["ddl"]
    assert (row["event_type"], row["operation"], row["ddl"]) == ("schema", "alter", DDL)


def test_json_is_read_once(told: ParsedMessages) -> None:
    for format_id in FORMATS:
        plan = told.plan(format_id)
        assert "Generate" in plan
        # Messages that a first reading cannot read are read again after it.
        again = len(re.findall(r"coalesce\(filter\(array\(if\b", plan))
        # This reads lists of columns in an unusual order.
        again += plan.count("from_json(ArrayType(")
        reads = plan.count("from_json(") - again
        # Some read more than once. StreamX: a condition on the text selects one of two ways for
        # each message. MongoDB: a document is text inside the message, in its own grammar; it is
        # read again, in a coalesce, if it is spelled unusually, and twice more, in an if, if it has
        # characters beyond 16 bits; each text with escapes of such characters is first read as a
        # JSON string, also in an if. DMS: the definition in a control message. Maxwell: a message
        # with a document is read as rewritten after the first reading, or as it is if that makes it
        # a reject. Debezium's Avro is read as its JSON.
        due = {
            "dataworks_streamx": 2,
            "debezium_avro": 1,
            "debezium_mongodb": 8,
            "dms_json": 2,
            "drs_mongo": 7,
            "maxwell": 3,
        }.get(format_id, "avro" not in format_id)
        assert (format_id, reads) == (format_id, due)
