"""From the events of a table to its model: names, options, files."""

import contextlib
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

import onboard
from changelake.core import settings
from changelake.core.errors import UserError
from changelake.core.macros import macro_names, macro_sql
from changelake.onboarding import model_writer, write_models
from changelake.onboarding.change_texts import Subject, change_text, holds_both
from changelake.onboarding.choosing import choose_tables, clashes, without_shards
from changelake.onboarding.declarations import Declaration
from changelake.onboarding.differences import Change, changes_of
from changelake.onboarding.found_models import has_model, shards_of_models
from changelake.onboarding.kept_declarations import keep_key
from changelake.onboarding.model_columns import declared
from changelake.onboarding.model_files import add_columns, write_history, write_table
from changelake.onboarding.names import column_names
from changelake.onboarding.rendering import model_text
from changelake.onboarding.schema_tables import SchemaTable
from changelake.onboarding.seen import needs_values
from changelake.onboarding.shards import join_shards
from changelake.onboarding.table_events import Alter
from changelake.onboarding.tables import SourceColumn, SourceTable
from changelake.onboarding.values import Values


@pytest.fixture(autouse=True)
def repository(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the repository itself: other tests in this process build in a copy with models."""
    monkeypatch.setattr(settings, "REPO", Path(__file__).resolve().parents[2])


def test_names_that_a_current_table_can_have() -> None:
    columns = [
        "id", "Name", "name", "NAME", "name__2", "_feed", "_KEY", "a b", "_row_count", "s", "ſ",
        "ad\u0131", "adi", "straße", "strasse", "I", "İ",
    ]  # fmt: skip
    assert column_names(columns) == {
        "id": "id",
        "Name": "Name",
        "name": "name__2",
        "NAME": "NAME__3",
        "name__2": "name__2__2",
        "_feed": "_src_feed",
        "_KEY": "_src_KEY",
        "a b": "a b",
        "_row_count": "_src_row_count",
        "s": "s",
        "ſ": "ſ__2",
        "ad\u0131": "ad\u0131",
        "adi": "adi__2",
        "straße": "straße",
        "strasse": "strasse",
        "I": "I",
        "İ": "İ__2",
    }


def test_no_column_takes_a_name_of_the_contract() -> None:
    current = [
        "_undecodable",
        "_committed_at",
        "_feed",
        "_kafka_offset",
        "_row_count",
        "_is_deleted",
    ]
    history = ["_operation", "_valid_from", "_valid_to", "_is_current", "_content"]
    names = column_names([*current, *history])
    assert names == {name: f"_src{name}" for name in [*current, *history]}
    # Delta treats this name as one of the contract's.
    assert column_names(["_comm\u0131tted_at"]) == {"_comm\u0131tted_at": "_src_comm\u0131tted_at"}


def test_the_longest_name_has_room_for_a_number() -> None:
    names = column_names(["N" * 255, "n" * 255])
    assert len(set(names.values())) == 2
    assert max(map(len, names.values())) == 255


def table(
    name: str = "orders", feed: str = "shop", database: str = "shop", key: list[str] | None = None
) -> SourceTable:
    columns = [SourceColumn("id", "bigint", True), SourceColumn("name", "varchar(9)", False)]
    return SourceTable(feed, "canal", "mysql", database, None, name, columns, key)


def test_a_name_that_a_column_has_stays(tmp_path: Path) -> None:
    one = table(key=["id"])
    for added in ([], [SourceColumn("Name", "int", False)]):
        # In the source the new column comes first.
        write_table(replace(one, columns=[*added, *one.columns]), tmp_path)
    columns = declared(tmp_path / "shop__orders.sql").get("columns", {})
    assert columns["name"] == "string"
    assert columns["Name__2"] == {"type": "int", "source": "Name"}


def test_relations_have_plain_names() -> None:
    one = SourceTable("f", "canal", "", "My-Shop", "Öffentlich", "Order Items ", [], None)
    assert one.relation == "my_shop___ffentlich__order_items_"
    assert one.name == "My-Shop.Öffentlich.Order Items "


def test_names_of_relations_are_valid() -> None:
    def relation(database: str | None, schema: str | None, name: str) -> str:
        return SourceTable("f", "canal", "", database, schema, name, [], None).relation

    # PostgreSQL's longest names stay as they are.
    longest = ["d" * 63, "s" * 63, "t" * 63]
    assert relation(*longest) == "__".join(longest)
    names = {relation("d" * 150, None, "t" * 149 + end) for end in ("a", "b", "A", "-")}
    assert [len(name) for name in names] == [200] * 4
    assert {name[:187] for name in names} == {f"{'d' * 150}__{'t' * 35}"}
    # Numbers and the empty text are no names in SQL.
    assert [relation(None, None, name) for name in ("12", "1e5", "1d", "1db", "")] == [
        "_12", "_1e5", "_1d", "1db", "_",
    ]  # fmt: skip


def test_overlong_columns_are_shortened() -> None:
    long = ["c" * 300, "c" * 301, "C" * 300, "c" * 255]
    names = list(column_names(long).values())
    assert [len(name) for name in names] == [255] * 4
    assert len({name.lower() for name in names}) == 4
    assert names[3] == long[3]


def test_chooses_by_name_relation_and_key() -> None:
    tables = [table(key=["id"]), table("items")]
    assert choose_tables(tables, [], None, {}) == tables
    for spelled in ("shop.items", "shop__items"):
        assert choose_tables(tables, [spelled], None, {}) == tables[1:]
    for spelled in ("shop.items", "shop__items", "items"):
        chosen = choose_tables([table("items")], [], None, {spelled: ["name"]})
        assert chosen[0].key == ["name"]
    seen_twice = [table(), table(feed="other")]
    assert choose_tables(seen_twice, [], "other", {}) == seen_twice[1:]


@pytest.mark.parametrize(
    ("tables", "names", "feed", "keys", "message"),
    [
        ([], [], None, {}, "no table has been seen"),
        ([table()], ["shop.none"], None, {}, "no events of table 'shop.none'.*shop.orders"),
        ([table()], [], "none", {}, "feed 'none' has shown no table"),
        ([table(), table(feed="b")], [], None, {}, "seen in the feeds b and shop: .*--feed"),
        ([table("a b"), table("a-b")], [], None, {}, "shop.a b and shop.a-b would both be"),
        ([table()], [], None, {"orders": ["no"]}, "no column 'no' for its key: it has id, name"),
        ([table()], [], None, {"none": ["id"]}, "--key names 'none'"),
    ],
)
def test_says_what_cannot_be_chosen(
    tables: list[SourceTable],
    names: list[str],
    feed: str | None,
    keys: dict[str, list[str]],
    message: str,
) -> None:
    with pytest.raises(UserError, match=message):
        choose_tables(tables, names, feed, keys)


def outcomes(files: dict[Path, str]) -> dict[str, str]:
    return {file.name: outcome for file, outcome in files.items()}


def test_writes_a_model_and_its_test(tmp_path: Path) -> None:
    one = table(key=["id"])
    one.columns.append(SourceColumn("it's `odd` \\ 名", None, False))
    written = write_table(one, tmp_path)
    assert outcomes(written.files) == {
        "shop__orders.sql": "written", "shop__orders.yml": "written",
    }  # fmt: skip
    assert written.remarks == [
        "types inferred from the values seen: it's `odd` \\ 名 string; scripts/onboard.py --schema"
        " FILE takes the source's own types"
    ]
    text = (tmp_path / "shop__orders.sql").read_text()
    assert """"it's `odd` \\\\ 名": 'string',""" in text
    model = yaml.safe_load((tmp_path / "shop__orders.yml").read_text())["models"][0]
    assert model["data_tests"] == ["is_key"]
    assert set(write_table(one, tmp_path).files.values()) == {"unchanged"}


def test_says_which_types_are_inferred_when_it_writes_a_model(tmp_path: Path) -> None:
    one = table(key=["id"])
    numbers = Values(count=1, integers=True, numbers=True, whole_digits=5)
    one.columns.append(SourceColumn("opened", None, False, numbers))
    one = replace(one, format="debezium")
    said = "types inferred from the values seen: opened bigint"
    advice = "; scripts/onboard.py --schema FILE takes the source's own types"
    number = "; a date or a time that comes as a number is a bigint"
    assert write_table(one, tmp_path).remarks == [f"{said}{number}{advice}"]
    assert write_table(one, tmp_path).remarks == []
    assert write_table(replace(one, format="canal"), tmp_path).remarks[0] == f"{said}{advice}"
    # A schema file has nothing to add to these types.
    of_schema = replace(one, known=SchemaTable("mysql", ("shop",), "orders"))
    assert said in write_table(of_schema, tmp_path / "schema").remarks
    counted = replace(one, key=[])
    assert "has no key: rows are counted" in write_table(counted, tmp_path / "counted").remarks
    assert write_table(counted, tmp_path / "counted").remarks == []


def test_says_how_else_a_table_can_be_read(tmp_path: Path) -> None:
    one = table(key=["id"])
    one.columns[1].type_text = "blob"
    assert write_table(one, tmp_path).remarks == [
        "its types can be Canal's or OMS's, and are read as Canal's;"
        " if OMS writes them, declare id decimal(38,0), name binary from base64"
    ]
    one.columns[0].type_text = "bigint(20)"
    assert "its types can be" not in str(write_table(one, tmp_path).remarks)


def pretend(monkeypatch: pytest.MonkeyPatch, **names: Any) -> None:
    """Replace these objects in the command and the modules it calls."""
    for name, fake in names.items():
        modules = [one for one in (onboard, write_models, model_writer) if hasattr(one, name)]
        assert modules, name
        for module in modules:
            monkeypatch.setattr(module, name, fake)


class Catalog:
    """A session with a lake that has been built."""

    catalog = property(lambda self: self)

    def tableExists(self, name: str) -> bool:  # noqa: N802 - Spark's name
        return True


def test_all_goes_on_behind_a_table_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first = tmp_path / "shop__items.sql"
    first.write_text("select 1")
    pretend(
        monkeypatch,
        check_lake=lambda target: None,
        spark_session=lambda *arguments, **options: Catalog(),
        seen_tables=lambda spark: [table("items", key=["id"]), table(key=["id"])],
        look_at_values=lambda spark, tables: None,
        look_at_alters=lambda spark, tables: None,
        add_columns=lambda one: add_columns(one, tmp_path),
    )
    monkeypatch.setattr(settings, "REPO", tmp_path)
    with pytest.raises(SystemExit):
        onboard.main(all_tables=True, update=True, history=False)
    assert capsys.readouterr().out == (
        "written   shop__orders.sql  (shop.orders)\nwritten   shop__orders.yml\n"
        "next      scripts/run.py\n"
        f"skipped   {first}: no 'columns': {{…}} with a line for each column: add them by hand\n"
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "choose the tables: --all, --table"),
        ({"all_tables": True, "table": ["t"]}, "choose the tables: --all, --table"),
        ({"table": ["t"], "shards": ["t=t.*"]}, "choose the tables: --all, --table"),
        (
            {"all_tables": True, "update": True, "key": ["t=id"]},
            "--update only adds columns, and takes no --key",
        ),
        ({"all_tables": True, "key": ["id"]}, "--key id: write TABLE=COLUMN,…"),
        ({"target": "lcoal"}, "there is no target 'lcoal'"),
        (
            {"all_tables": True, "schema": Path("none.sql")},
            "--schema none.sql: No such file or directory",
        ),
    ],
)
def test_what_onboarding_cannot_do_is_said_before_spark_starts(
    given: dict[str, Any], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        onboard.main(**given)
    assert capsys.readouterr().err.startswith(f"error: {said}")


def of_lake(tables: list[SourceTable]) -> dict[str, Any]:
    """Return replacements, by name in the command, for a lake that shows these tables."""
    return {
        "check_lake": lambda target: None,
        "spark_session": lambda *arguments, **options: Catalog(),
        "seen_tables": lambda spark: list(tables),
        "look_at_values": lambda spark, tables: None,
        "look_at_alters": lambda spark, tables: None,
        "without_shards": lambda seen: seen,
    }


def test_all_says_what_comes_next_and_in_one_line_what_is_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    places = tmp_path / "models" / "current", tmp_path / "models" / "history"
    tables = [table(key=["id"]), table("items", key=["id"])]
    tables[1].columns.append(SourceColumn("note", None, False))
    pretend(
        monkeypatch,
        **of_lake(tables),
        keep_key=lambda one: [],
        has_model=lambda one: has_model(one, places[0]),
        write_table=lambda one: write_table(one, places[0]),
        add_columns=lambda one: add_columns(one, places[0]),
        write_history=lambda one: write_history(one, places[1], places[0]),
    )
    monkeypatch.setattr(settings, "REPO", tmp_path)

    def said(**options: Any) -> list[str]:
        onboard.main(**options)
        return capsys.readouterr().out.splitlines()

    first = said(all_tables=True, target="local")
    assert [line.split()[0] for line in first].count("written") == 8
    assert first[-1] == "next      scripts/run.py"
    assert [line for line in first if "types inferred" in line]
    # What was said of a model is not repeated while it is unchanged.
    assert said(all_tables=True, target="local") == ["unchanged 8 files"]
    assert said(table=["shop.orders"], target="local")[-1].startswith("unchanged models/history/")
    tables[0].columns.append(SourceColumn("more", "int", False))
    grown = said(all_tables=True, update=True, target="sample")
    assert grown[-1] == "next      scripts/run.py --target sample --select shop__orders"


def test_a_name_forges_no_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    forged = "x\nwritten   models/current/y.sql\rz"
    good, keyless, taken, clashing = (
        SourceTable("f", "canal", "", None, None, f"{forged}{end}", [], key)
        for end, key in (("1", ["\nid"]), ("2", None), ("3", []), ("1\n", []))
    )
    good.columns = [SourceColumn("\nid", None, True), SourceColumn("_feed", "int", False)]
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / f"{taken.relation}.sql").touch()
    tables = [good, keyless, taken]
    pretend(
        monkeypatch,
        **of_lake(tables),
        write_table=lambda one: write_table(one, tmp_path / "models" / "current"),
        write_history=lambda one: write_history(one, tmp_path / "models" / "history"),
        keep_key=lambda one: [f"of {one.name}"],
    )
    monkeypatch.setattr(settings, "REPO", tmp_path)
    with pytest.raises(SystemExit):
        onboard.main(all_tables=True)
    said = capsys.readouterr().out.splitlines()
    assert "\r" not in "".join(said)
    written = [line for line in said if line.startswith("written")]
    assert [line.split()[1] for line in written] == [
        f"models/{place}.{end}"
        for place in (f"current/{good.relation}", f"history/{good.relation}__history")
        for end in ("sql", "yml")
    ]
    assert written[0].endswith(r"(x\x0awritten   models/current/y.sql\x0dz1)")
    assert len([line for line in said if line.startswith("skipped")]) == 2
    # The errors about the choice of tables must not be forged, either.
    for call in (
        lambda: choose_tables([good], ["none"], None, {}),
        lambda: choose_tables([good], [], None, {good.name: ["no"]}),
        lambda: choose_tables([good], [], None, {"none": ["id"]}),
        lambda: choose_tables([good, clashing, good], [], None, {}),
        lambda: join_shards([good, taken], "all", ".*"),
    ):
        with pytest.raises(UserError) as error:
            call()
        assert len(str(error.value).splitlines()) == 1 and "x0awritten" in str(error.value)


def test_all_goes_on_behind_a_file_that_is_not_utf8(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pretend(
        monkeypatch,
        check_lake=lambda target: None,
        spark_session=lambda *arguments, **options: Catalog(),
        seen_tables=lambda spark: [
            table(one, key=["id"]) for one in ("cut", "items", "late", "orders")
        ],
        look_at_values=lambda spark, tables: None,
        look_at_alters=lambda spark, tables: None,
        without_shards=lambda seen: seen,
        keep_key=lambda one: [],
        write_table=lambda one: write_table(one, tmp_path),
    )
    monkeypatch.setattr(settings, "REPO", tmp_path)
    one = table("cut", key=["id"])
    one.columns[0].name = "é"
    write_table(one, tmp_path)
    cut = tmp_path / "shop__cut.sql"
    cut.write_bytes(cut.read_bytes().partition(b"\xa9")[0])
    mine = [tmp_path / "shop__items.sql", tmp_path / "shop__late.yml"]
    for file in mine:
        file.write_bytes("# né\n".encode("latin-1"))
    with pytest.raises(SystemExit):
        onboard.main(all_tables=True, history=False)
    said = capsys.readouterr().out.splitlines()
    assert "written   shop__orders.sql  (shop.orders)" in said
    for file in [cut, *mine]:
        (line,) = [one for one in said if one.startswith(f"skipped   {file} is not UTF-8 (byte ")]
        assert line.endswith("if it was cut short, delete it to have it written again")
    assert (tmp_path / "shop__late.sql").exists()


def test_a_name_that_the_project_has_is_left_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once, two models of one name stopped every later run; now the other tables are written."""
    monkeypatch.setattr(settings, "REPO", tmp_path)
    currents, histories = tmp_path / "models" / "current", tmp_path / "models" / "history"
    for taken in ("models/silver/change_events.sql", "seeds/feeds.csv", "snapshots/kept.yml"):
        file = tmp_path / taken
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("snapshots:\n- name: orders_kept\n  relation: ref('x')\n")

    def alone(name: str) -> SourceTable:
        columns = [SourceColumn("id", "int", True)]
        return SourceTable("shop", "canal", "", None, None, name, columns, ["id"])

    tables = ["change_events", "feeds", "orders_kept", "orders", "orders__history", "t" * 300, "z"]
    pretend(
        monkeypatch,
        check_lake=lambda target: None,
        spark_session=lambda *arguments, **options: Catalog(),
        seen_tables=lambda spark: [alone(one) for one in tables],
        look_at_values=lambda spark, tables: None,
        look_at_alters=lambda spark, tables: None,
        without_shards=lambda seen: seen,
        keep_key=lambda one: [],
        write_table=lambda one: write_table(one, currents),
        write_history=lambda one: write_history(one, histories),
    )
    with pytest.raises(SystemExit):
        onboard.main(all_tables=True)
    written = {file.stem for file in tmp_path.glob("models/*/*.sql")} - {"change_events"}
    long = alone("t" * 300).relation
    assert written == {
        f"{name}{end}" for name in ("orders", long, "z") for end in ("", "__history")
    }
    skipped = [line for line in capsys.readouterr().out.splitlines() if line[:7] == "skipped"]
    assert [line.split(": ")[0].split(", and ")[1] for line in skipped] == [
        "models/silver/change_events.sql has that name",
        "seeds/feeds.csv has that name",
        "snapshots/kept.yml has that name",
        "models/history/orders__history.sql has that name",
    ]
    assert skipped[0].endswith(
        " give it another one with --shards NAME=change_events, which adds a column `shard`"
    )
    # The other way round: the table came before the history.
    (histories / "orders__history.sql").unlink()
    write_table(alone("orders__history"), currents)
    with pytest.raises(UserError, match=r"current/orders__history\.sql .*with --no-history"):
        write_history(alone("orders"), histories)


def test_never_overwrites_the_model_of_another_table(tmp_path: Path) -> None:
    write_table(table("a b", key=["id"]), tmp_path)
    with pytest.raises(UserError, match="shop__a_b.sql is the model of another table"):
        write_table(table("a-b", key=["id"]), tmp_path)


def test_names_the_tables_that_would_be_one() -> None:
    strays = [SourceTable(feed, "canal", "", None, None, "t", [], []) for feed in ("a", "b")]
    found = clashes([table(), table("a b"), table("a-b"), *strays])
    assert list(found) == ["shop__a_b", "t"]
    assert found["t"].startswith("t (without a database) is seen in the feeds a and b: choose")


def test_writes_a_changed_table_again(tmp_path: Path) -> None:
    write_table(table(key=["id"]), tmp_path)
    grown = table(key=["id"])
    grown.columns.append(SourceColumn("more", "int", False))
    written = write_table(grown, tmp_path)
    assert list(written.files.values()) == ["written", "unchanged"]
    assert "'more': 'int'," in (tmp_path / "shop__orders.sql").read_text()
    rebuild = "dbt build --target local --full-refresh --select shop__orders"
    assert written.remarks == [f"added more: null in older rows; to fill them in: {rebuild}"]
    grown.columns[0].type_text, grown.key = "decimal(20,0)", ["id", "name"]
    assert write_table(grown, tmp_path).remarks == [
        f"changed id, the key: if it is built already, run {rebuild}"
    ]
    assert write_table(grown, tmp_path).remarks == []


@pytest.mark.parametrize("name", ["key", "feeds", "database", "schema", "table", "shards"])
def test_a_column_that_is_called_like_a_part_of_the_model(tmp_path: Path, name: str) -> None:
    write_table(table(key=["id"]), tmp_path)
    grown = table(key=["id"])
    grown.columns.append(SourceColumn(name, "int", False))
    written = write_table(grown, tmp_path)
    assert list(written.files.values()) == ["written", "unchanged"]
    assert not any("the key" in one for one in written.remarks)


def grown_table() -> SourceTable:
    grown = table(key=["id"])
    grown.columns += [SourceColumn("more", "int", False), SourceColumn("ID", "int", False)]
    return grown


def test_adds_columns_to_a_model_of_a_persons_own(tmp_path: Path) -> None:
    write_table(table(key=["id"]), tmp_path)
    file = tmp_path / "shop__orders.sql"
    title = "'title': {'type': 'string', 'source': ['title', 'name'], 'ignore_case': true}"
    edited = file.read_text().replace("'name': 'string'", title)
    file.write_text(edited + "-- mine\n")
    written = add_columns(grown_table(), tmp_path)
    assert written.files == {file: "updated"}
    assert written.remarks[0].startswith("added more, ID__2: null in older rows; to fill them in:")
    lines = "            'more': 'int',\n            'ID__2': {'type': 'int', 'source': 'ID'},\n"
    before = f"            {title},\n"
    assert file.read_text() == edited.replace(before, before + lines) + "-- mine\n"
    assert add_columns(grown_table(), tmp_path).files == {file: "unchanged"}
    assert write_table(grown_table(), tmp_path).files[file] == "kept"


def test_a_guess_that_holds_all_values_stays(tmp_path: Path) -> None:
    def declared_with(digits: int) -> Any:
        values = Values(1, integers=True, numbers=True, whole_digits=digits)
        columns = [SourceColumn("n", None, False, values)]
        one = SourceTable("shop", "maxwell", "mysql", "shop", None, "guessed", columns, [])
        write_table(one, tmp_path)
        return declared(tmp_path / "shop__guessed.sql").get("columns")

    assert declared_with(18) == {"n": "bigint from exact"}
    # It may be a bigint; a run will see a value that is none.
    assert declared_with(19) == {"n": "bigint from exact"}
    assert declared_with(20) == {"n": "decimal(38,0) from exact"}
    assert declared_with(18) == {"n": "decimal(38,0) from exact"}


def test_says_which_declarations_no_longer_hold_the_sources_values(tmp_path: Path) -> None:
    one = table(key=["id"])
    kinds = {
        "price": "decimal(10,2)", "size": "smallint", "wide": "decimal(30,2)", "kind": "enum('a')",
        "hidden": "int", "guess": None,
    }  # fmt: skip
    one.columns += [SourceColumn(name, kind, False) for name, kind in kinds.items()]
    one.columns[-1].values = Values(count=1, integers=True, numbers=True, whole_digits=2)
    write_table(one, tmp_path)
    file = tmp_path / "shop__orders.sql"
    text = file.read_text()
    file.write_text(text.replace("'hidden': 'int'", "'hidden': {'type': 'int', 'mask': 'null'}"))
    types = ["decimal(12,4)", "int", "decimal(10,2)", "enum('b','a')", "bigint", None]
    for column, changed in zip(one.columns[-6:], types, strict=True):
        column.type_text = changed
    one.columns[-1].values = Values(count=1, numbers=True, whole_digits=2, fraction_digits=1)
    written = add_columns(one, tmp_path)
    assert written.files == {file: "unchanged"}
    assert [remark.split(", then run dbt build --")[0] for remark in written.remarks] == [
        "price is declared decimal(10,2), which does not hold decimal(12,4): write decimal(12,4)",
        "size is declared smallint, which does not hold int: write int",
        "kind is declared string from enum('a'), which does not hold enum('b','a'):"
        " write string from enum('b','a')",
        "guess is declared bigint from exact, which does not hold the values seen:"
        " write decimal(38,1) from exact",
    ]


def test_adds_columns_where_there_is_no_model_or_none_it_understands(tmp_path: Path) -> None:
    file = tmp_path / "shop__orders.sql"
    assert add_columns(table(key=["id"]), tmp_path).files[file] == "written"
    for text, message in (
        ("select 1", "a line for each column"),
        ("'columns': {\n  x,\n},\n", "cannot be read"),
    ):
        file.write_text(text)
        with pytest.raises(UserError, match=message):
            add_columns(grown_table(), tmp_path)


def test_writes_the_model_of_a_history(tmp_path: Path) -> None:
    one = table(key=["id"])
    assert outcomes(write_history(one, tmp_path)) == {
        "shop__orders__history.sql": "written", "shop__orders__history.yml": "written",
    }  # fmt: skip
    assert (
        "meta={'current': 'shop__orders'}" in (tmp_path / "shop__orders__history.sql").read_text()
    )
    model = yaml.safe_load((tmp_path / "shop__orders__history.yml").read_text())["models"][0]
    assert model["name"] == "shop__orders__history"
    test = model["data_tests"][0]["is_key"]
    assert test == {"config": {"where": "_is_current"}}
    assert set(write_history(one, tmp_path).values()) == {"unchanged"}


def test_a_yml_describes_the_columns_that_are_added(tmp_path: Path) -> None:
    macro = (settings.REPO / "macros/state/storage/state_view_definition.sql").read_text()
    macro = macro.replace("shown_metadata()", str(macro_names("state/storage", "shown_metadata")))
    added = re.findall(r"\b(_\w+)'", macro.partition("\nfrom ")[0])
    version = ["_operation", "_valid_from", "_valid_to", "_is_current"]
    for key, left_out in (([], set[str]()), (["id"], {"_row_count"})):
        one = table(key=key)
        write_table(one, tmp_path / str(key))
        write_history(one, tmp_path / str(key))
        for suffix, lacks in (("", {*left_out, *version}), ("__history", left_out)):
            file = tmp_path / str(key) / f"shop__orders{suffix}.yml"
            (model,) = yaml.safe_load(file.read_text())["models"]
            columns = {column["name"]: column["description"] for column in model["columns"]}
            assert list(columns) == [name for name in added if name not in lacks]
            # These texts contain nothing that dbt would compile.
            assert not re.search("[{}\n]", "".join(columns.values()))


@pytest.mark.parametrize("suffix", [".sql", ".yml"])
def test_never_overwrites_what_a_person_changed(tmp_path: Path, suffix: str) -> None:
    folder, sql_outcome = tmp_path / "mine", "written"
    write_table(table(key=["id"]), folder)
    file = folder / f"shop__orders{suffix}"
    for changed in (file.read_text() + "-- mine\n", "all my own\n"):
        file.write_text(changed)
        # The file is found wherever it was moved within the folder of models.
        grown = table(key=["id"])
        grown.columns.append(SourceColumn("more", "int", False))
        written = write_table(grown, tmp_path).files
        # The other file is not edited, and the .yml has nothing about the source's columns.
        other = {".sql": ["kept", "unchanged"], ".yml": [sql_outcome, "kept"]}
        assert list(written.values()) == other[suffix]
        assert file.read_text() == changed
        sql_outcome = "unchanged"
    assert list(tmp_path.iterdir()) == [folder]


def shards(*keys: list[str] | None, given: Iterable[str] = ()) -> SourceTable:
    tables = [table(f"orders_{number}", key=key) for number, key in enumerate(keys)]
    return join_shards(tables, "shop.orders", r"shop\.orders_\d", given)


def test_shards_are_named_as_the_person_names_them() -> None:
    assert shards(None, None).relation == "shop__orders"


def test_the_shard_is_part_of_any_key() -> None:
    assert shards(["id"], ["id"]).key == ["shard", "id"]
    for given, key in (
        (["id"], ["shard", "id"]),
        (["id", "shard"], ["id", "shard"]),
        # Without a key, rows are counted.
        ([], []),
    ):
        chosen = choose_tables([shards(None, None)], [], None, {"shop.orders": given})
        assert chosen[0].key == key


def test_what_a_source_has_changed_is_told_with_the_command() -> None:
    one = table(key=["name", "id"])
    rebuild = "then run dbt build --target local --full-refresh --select shop__orders"
    subject = Subject("shop__orders", [one], {"id": "bigint", "name": "string"})
    own = replace(subject, is_own=True)
    key = Change("key", "", "id, name")
    assert change_text(key, subject) == (
        "the source's key is now id, name: to take it, run scripts/onboard.py --table shop.orders"
        f" --key shop.orders=name,id, {rebuild}"
    )
    assert "to take it, write it into 'key' in the model, then run dbt build" in (
        change_text(key, own)
    )
    # Here onboarding would write another model.
    moved = replace(subject, name="orders")
    assert change_text(key, moved).endswith(
        "write it into 'key' in the model, then run dbt build"
        " --target local --full-refresh --select orders"
    )
    new = Change("new", "note", "")
    assert change_text(new, moved) == (
        "the source has a new column note: to have it, write it into 'columns' in the model"
    )
    sharded = replace(
        subject, tables=[replace(one, shards=r"shop\.o_\d", table="shop.orders", database=None)]
    )
    assert r"scripts/onboard.py --shards 'shop.orders=shop\.o_\d' --update adds it" in (
        change_text(new, sharded)
    )
    unfit = Change("unfit", "id", "date from epoch_days")
    said = "the source now needs id to be date from epoch_days, but it is bigint here: "
    assert change_text(unfit, subject) == (
        f"{said}run scripts/onboard.py --table shop.orders, {rebuild}"
    )
    assert change_text(unfit, own) == f"{said}write date from epoch_days in the model, {rebuild}"
    assert f"{said}run scripts/onboard.py --table shop.orders --schema FILE with" in (
        change_text(unfit, replace(subject, is_from_schema=True))
    )


def test_a_text_that_becomes_a_number_needs_nothing() -> None:
    subject = Subject("shop__orders", [table()], {"id": "bigint", "name": "string"})
    change = Change("unfit", "name", "int")
    assert holds_both(change, subject)
    assert change_text(change, subject).startswith(
        "the source has made name int; it stays string here, which holds old and new values, so"
        " nothing has to be done. To have int, where a text in another form becomes null:"
        " run scripts/onboard.py --table shop.orders, then run dbt build"
    )
    # A number of days is not a date.
    for needed in ("date from epoch_days", "binary from base64"):
        assert not holds_both(change._replace(detail=needed), subject)
    assert not holds_both(Change("unfit", "id", "int"), subject)


def test_a_new_column_beside_one_that_never_came_may_be_misspelt() -> None:
    subject = Subject("shop__orders", [table()], {"id": "bigint", "nmae": "string"}, is_own=True)
    assert change_text(Change("new", "name", ""), subject) == (
        "the source has a column name that the model lacks, and no message has ever had nmae,"
        " which is in the model: correct the name if they are the same column; else"
        " scripts/onboard.py --table shop.orders --update adds it"
    )


def test_a_column_that_is_called_like_the_models_shard_is_asked_for(tmp_path: Path) -> None:
    name, pattern = "shop.orders", r"shop\.orders_\d"
    shard = table("orders_1", key=["id"])
    write_table(join_shards([shard], name, pattern), tmp_path)
    meta: Any = declared(tmp_path / "shop__orders.sql")
    assert (meta["shard"], meta["key"]) == ("shard", ["shard", "id"])
    shard.columns.append(SourceColumn("shard", "int", False))
    grown = join_shards([shard], name, pattern, shard=meta["shard"])
    assert [one for one in changes_of(grown, meta, can_widen=True) if one.column == "shard"] == [
        Change("hidden", "shard", "")
    ]
    assert [column.name for column in grown.columns] == ["shard", "id", "name"]
    assert "the source has a new column shard, as the model calls" in str(
        write_table(grown, tmp_path).remarks
    )
    # A person has chosen another name.
    other = join_shards([shard], name, pattern, shard="part")
    assert [column.name for column in other.columns] == ["part", "id", "name", "shard"]
    # For a model that does not exist yet, another name can be chosen.
    assert join_shards([shard], name, pattern).shard == "_shard"


def test_shards_have_one_key() -> None:
    with pytest.raises(UserError, match="orders_0 has the key id, but shop.orders_1 has no key"):
        shards(["id"], [])
    assert shards(["id"], ["name"], given=["shop__orders"]).key is None


def test_values_of_dates_are_read_since_years_have_that_type() -> None:
    columns = [SourceColumn("d", "date", False), SourceColumn("n", "int", False)]
    one = SourceTable("f", "cloudcanal_json", "", "shop", None, "orders", columns, None)
    assert [needs_values(one, column) for column in columns] == [True, False]


def test_a_table_without_a_key() -> None:
    one = table(key=[])
    names = column_names(["id", "name"])
    sources = {name: [name] for name in names}
    text = model_text(one, names, dict.fromkeys(names, Declaration("int")), sources)
    assert "'key': []," in text


def test_a_column_that_is_left_out_stays_out(tmp_path: Path) -> None:
    file = tmp_path / "shop__orders.sql"
    write_table(table(key=["id"]), tmp_path)
    text = file.read_text().replace("            'name': 'string',\n", "")
    file.write_text(text.replace("'key': ['id'],", "'key': ['id'],\n        'left_out': ['name'],"))
    before = file.read_text()
    assert add_columns(table(key=["id"]), tmp_path).files == {file: "unchanged"}
    grown = table(key=["id"])
    grown.columns.append(SourceColumn("more", "int", False))
    remarks = add_columns(grown, tmp_path).remarks
    assert remarks[1:] == ["to do without one, name it in the model's 'left_out'"]
    assert file.read_text() == before.replace(
        "        },\n", "            'more': 'int',\n        },\n"
    )


def test_an_update_makes_no_unedited_model_an_edited_one(tmp_path: Path) -> None:
    write_table(table(key=["id"]), tmp_path)
    grown = table(key=["id"])
    grown.columns.append(SourceColumn("more", "int", False))
    file = tmp_path / "shop__orders.sql"
    assert add_columns(grown, tmp_path).files == {file: "updated"}
    assert set(write_table(grown, tmp_path).files.values()) == {"unchanged"}


@pytest.mark.parametrize("edit", ["", "-- mine\n"])
@pytest.mark.parametrize("write", [write_table, add_columns])
def test_the_model_of_another_feed_is_left_alone(tmp_path: Path, edit: str, write: Any) -> None:
    write_table(table(key=["id"]), tmp_path)
    file = tmp_path / "shop__orders.sql"
    file.write_text(file.read_text() + edit)
    before = {path: path.read_text() for path in tmp_path.iterdir()}
    other = table(feed="other", key=["id"])
    other.columns.append(SourceColumn("more", "int", False))
    with pytest.raises(UserError, match="shop__orders.sql is the model of another table or feed"):
        write(other, tmp_path)
    assert {path: path.read_text() for path in tmp_path.iterdir()} == before


def test_a_key_that_a_person_gave_stays(tmp_path: Path) -> None:
    write_table(table(key=["name"]), tmp_path)
    unknown, known, same = table(), table(key=["id"]), table(key=["name"])
    assert keep_key(unknown, tmp_path) == keep_key(same, tmp_path) == []
    assert keep_key(known, tmp_path) == [
        "the key stays name; the source's is id: to take that, --key shop.orders=id"
    ]
    assert unknown.key == known.key == same.key == ["name"]
    # A column that is gone cannot be part of a key.
    gone = table(key=["id"])
    gone.columns = gone.columns[:1]
    assert keep_key(gone, tmp_path) == []
    assert gone.key == ["id"]


@pytest.mark.parametrize("key", [["id"], []])
def test_without_a_key_columns_keep_their_order(tmp_path: Path, key: list[str]) -> None:
    write_table(table(key=key), tmp_path)
    model = tmp_path / "shop__orders.sql"
    before = list(declared(model).get("columns", {}))
    grown = table(key=key)
    grown.columns.insert(1, SourceColumn("more", "int", False))
    write_table(grown, tmp_path)
    columns = list(declared(model).get("columns", {}))
    assert columns == ([before[0], "more", *before[1:]] if key else [*before, "more"])


def test_a_key_whose_column_was_renamed_is_the_sources(tmp_path: Path) -> None:
    write_table(table(key=["id"]), tmp_path)
    model = tmp_path / "shop__orders.sql"
    text = re.sub(
        r"'id': '([^']*)'", r"'id': {'type': '\1', 'source': ['No', 'id']}", model.read_text()
    )
    assert text != model.read_text()
    model.write_text(text)
    renamed = table(key=["No"])
    assert (keep_key(renamed, tmp_path), renamed.key) == ([], ["id"])


def altered(one: SourceTable, *statements: str) -> SourceTable:
    """Return a table with the statements that have altered it."""
    alters = [Alter("t", 0, place, 0, ddl, 1, None) for place, ddl in enumerate(statements)]
    return replace(one, alters=[alters])


RENAME = "alter table orders change `Name` title varchar(9)"


def test_a_column_that_was_renamed_before_is_one(tmp_path: Path) -> None:
    one = table(key=["id"])
    one.columns.append(SourceColumn("title", "varchar(20)", False))
    one = altered(one, RENAME)
    write_table(one, tmp_path)
    columns = declared(tmp_path / "shop__orders.sql").get("columns", {})
    assert list(columns) == ["id", "title"]
    assert columns["title"] == {"type": "string", "source": ["title", "name"]}
    assert set(write_table(one, tmp_path).files.values()) == {"unchanged"}
    # No value ever came under the name in between.
    one = altered(one, RENAME.replace("title", "later"), RENAME.replace("`Name`", "later"))
    assert set(write_table(one, tmp_path).files.values()) == {"unchanged"}


def test_a_column_that_is_left_out_stays_out_by_another_name(tmp_path: Path) -> None:
    write_table(table(key=["id"]), tmp_path)
    file = tmp_path / "shop__orders.sql"
    text = file.read_text().replace("            'name': 'string',\n", "")
    file.write_text(text.replace("'key': ['id'],", "'key': ['id'],\n        'left_out': ['name'],"))
    one = table(key=["id"])
    one.columns.append(SourceColumn("title", "varchar(9)", False))
    assert add_columns(altered(one, RENAME), tmp_path).files == {file: "unchanged"}


def test_a_column_that_got_its_name_back_keeps_it(tmp_path: Path) -> None:
    one = table(key=["id"])
    one.columns.append(SourceColumn("title", "varchar(9)", False))
    write_table(one, tmp_path)
    write_table(altered(one, RENAME, "alter table orders change title name int"), tmp_path)
    columns = declared(tmp_path / "shop__orders.sql").get("columns", {})
    assert columns == {"id": "bigint", "name": {"type": "string", "source": ["name", "title"]}}


def test_a_name_that_another_column_has_had_is_said(tmp_path: Path) -> None:
    one = table(key=["id"])
    one.columns.append(SourceColumn("title", "varchar(9)", False))
    one = altered(one, "alter table orders change Name title varchar(9), add name varchar(9)")
    remarks = write_table(one, tmp_path).remarks
    columns = declared(tmp_path / "shop__orders.sql").get("columns", {})
    assert columns == {"id": "bigint", "name": "string", "title": "string"}
    assert [one for one in remarks if one.startswith("another column is called name now: rows")]
    assert write_table(one, tmp_path).remarks == []


def test_a_column_of_shards_is_one_where_one_of_them_was_altered(tmp_path: Path) -> None:
    shards = [table(f"orders_{number}", key=["id"]) for number in range(2)]
    shards[1].columns.append(SourceColumn("title", "varchar(9)", False))
    shards[1] = altered(shards[1], RENAME)
    write_table(join_shards(shards, "orders", r"shop\.orders_\d"), tmp_path)
    columns = declared(tmp_path / "orders.sql").get("columns", {})
    assert columns["title"] == {"type": "string", "source": ["title", "name"]}
    assert "name" not in columns


def test_a_model_with_both_names_of_a_column_is_written_with_one(tmp_path: Path) -> None:
    one = table(key=["id"])
    one.columns.append(SourceColumn("title", "varchar(9)", False))
    write_table(one, tmp_path)
    remarks = write_table(altered(one, RENAME), tmp_path).remarks
    columns = declared(tmp_path / "shop__orders.sql").get("columns", {})
    assert columns == {"id": "bigint", "name": {"type": "string", "source": ["title", "name"]}}
    assert remarks[0].startswith("changed name: if it is built already, run dbt build")


def test_a_renamed_column_is_not_added_to_a_model_of_a_persons_own(tmp_path: Path) -> None:
    one = table(key=["id"])
    write_table(one, tmp_path)
    file = tmp_path / "shop__orders.sql"
    file.write_text(file.read_text() + "-- mine\n")
    one.columns.append(SourceColumn("title", "varchar(9)", False))
    written = add_columns(altered(one, RENAME), tmp_path)
    assert written.files == {file: "unchanged"}
    assert written.remarks[0].startswith(
        "the source renamed name to title: write 'source': ['title', 'name'], then run dbt build"
    )
    write_table(one, tmp_path / "both")
    file = tmp_path / "both" / "shop__orders.sql"
    file.write_text(file.read_text() + "-- mine\n")
    written = add_columns(altered(one, RENAME), tmp_path / "both")
    assert written.remarks[0].startswith(
        "the source renamed name to title: write 'source': ['title', 'name'], remove title, then"
        " run dbt build"
    )


def test_shards_of_one_table_get_no_models_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shards = [table(f"orders_{number}", key=["id"]) for number in range(3)]
    whole = join_shards(shards[:2], "orders", r"shop\.orders_\d")
    write_table(whole, tmp_path)
    write_table(shards[2], tmp_path)
    models = shards_of_models(tmp_path)
    assert models == [(["shop"], r"shop\.orders_\d")]
    for pattern, is_wrong in (("'a('", True), ("3", True), ("none", False)):
        (tmp_path / "odd").mkdir(exist_ok=True)
        text = f"{{{{ config(meta={{'feeds': ['x'], 'shards': {pattern}}}) }}}}"
        (tmp_path / "odd" / "x.sql").write_text(text)
        refused = pytest.raises(UserError, match="x.sql has 'shards' in its meta that is not a")
        with refused if is_wrong else contextlib.nullcontext():
            assert shards_of_models(tmp_path / "odd") == []
    pretend(monkeypatch, without_shards=lambda seen: without_shards(seen, tmp_path))
    elsewhere = table("orders_1", feed="other")
    assert write_models._all([*shards, elsewhere], None, {}) == ([shards[2], elsewhere], {}, [])
    assert capsys.readouterr().out == "left out  2 tables that a model has as its shards\n"


def test_the_digits_of_a_number_are_those_of_its_value(spark: Any) -> None:
    """A number without quotes comes as Java writes a double: `1.0E-6` has six digits."""
    shown = {
        "1.50": (1, 2, 2), "1.0E-6": (1, 6, 1), "-1.25E-7": (1, 9, 3), "1.0E10": (11, 0, 1),
        "7": (1, 0, 1), "-440490654286985.3184": (15, 4, 19), "0.00120": (1, 5, 2),
    }  # fmt: skip
    events = ", ".join(
        f"('f', 'd', 's', '{text}', 'row', map('a', '{text}'), null)" for text in shown
    )
    names = "feed, database_name, schema_name, table_name, event_type, `after`, `before`"
    relation = f"(select * from values {events} as events ({names}))"
    found = spark.sql(macro_sql("onboarding", "seen_values", relation, "true", "false")).collect()
    digits = {
        row.table_name: (row.whole_digits, row.fraction_digits, row.significant_digits)
        for row in found
    }
    assert digits == shown
