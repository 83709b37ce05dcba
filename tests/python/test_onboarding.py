"""From what the events show of a table to its model: types, names, choices, files."""

import csv
from collections.abc import Iterable
from pathlib import Path

import pytest
import yaml

import onboard
from changelake import settings
from changelake.errors import UserError
from changelake.model_files import add_columns, column_names, model_text, write_history, write_table
from changelake.onboarding import SourceColumn, SourceTable, choose_tables, clashes, join_shards
from changelake.seen_tables import needs_values
from changelake.types import Declaration, Values, declare, dialects_of, holds, infer, split_type


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("int", ("int", "")),
        ("INT(11) UNSIGNED ZEROFILL", ("int unsigned", "11")),
        ("decimal(10,2) unsigned zerofill", ("decimal unsigned", "10,2")),
        ("timestamp(6) with time zone", ("timestamp with time zone", "6")),
        ("enum('a','(b)','C D')", ("enum", "'a','(b)','C D'")),
        ("character varying(10)", ("character varying", "10")),
        ("varchar(10) charset utf8mb4", ("varchar", "10")),
        ("double precision", ("double precision", "")),
        ("", ("", "")),
    ],
)
def test_splits_types(text: str, parts: tuple[str, str]) -> None:
    assert split_type(text) == parts


@pytest.mark.parametrize(
    ("format_id", "source_type", "type_text", "declared"),
    [
        ("canal", "mysql", "bigint unsigned", "decimal(20,0)"),
        ("canal", "mysql", "bigint(20)", "bigint"),
        ("canal", "mysql", "int(10) unsigned", "bigint"),
        ("canal", "mysql", "tinyint(1)", "tinyint"),
        ("canal", "mysql", "decimal(38,10)", "decimal(38,10)"),
        ("canal", "mysql", "decimal(65,30)", "string"),
        ("canal", "mysql", "decimal(39)", "string"),
        ("canal", "mysql", "varchar(40)", "string"),
        ("canal", "mysql", "datetime(6)", "timestamp_ntz"),
        ("canal", "ob_mysql", "datetime(6)", "timestamp_ntz"),
        ("canal", "mysql", "json", "string"),
        ("canal", "mysql", "binary(4)", "binary from latin1(4)"),
        ("canal", "mysql", "binary", "binary from latin1"),
        ("canal", "mysql", "varbinary(4)", "binary from latin1"),
        ("drs_json", "mysql", "binary(4)", "binary from byte_list(4)"),
        ("drs_json_c", "mysql", "binary", "binary from byte_list"),
        ("dts_avro", "postgresql", "binary object", "binary from base64"),
        ("debezium", "mysql", "int64", "bigint"),
        ("debezium", "mysql", "int64 unsigned", "decimal(20,0) from signed64"),
        ("debezium", "sqlserver", "io.debezium.time.NanoTimestamp", "string from epoch_nanos"),
        ("oceanbase_dataworks", "ob_oracle", "NUMBER(*,0)", "decimal(38,0)"),
        ("oceanbase_dataworks", "ob_oracle", "NUMBER(5,-2)", "decimal(7,0)"),
        ("oceanbase_dataworks", "ob_oracle", "TIMESTAMP(6)", "timestamp_ntz"),
        ("oceanbase_dataworks", "ob_mysql", "TIMESTAMP", "timestamp from epoch_seconds"),
        ("oceanbase_default_extended", "db2_luw", "VARBINARY", "binary from base64"),
        ("drs_avro", "", "bytea", "binary from base64"),
        (
            "debezium", "mysql",
            "org.apache.kafka.connect.data.Decimal:scale=2,precision=10",
            "decimal(10,2) from base64_unscaled(2)",
        ),
        (
            "debezium", "mysql",
            "org.apache.kafka.connect.data.Decimal:scale=30,precision=65",
            "string from base64_unscaled(30)",
        ),
        ("drs_json", "oracle", "timestamp(9)", "string"),
        ("drs_json", "oracle", "rowid", "string"),
        ("drs_json", "sqlserver", "datetime2(7)", "string"),
        ("drs_json", "sqlserver", "datetime2(3)", "timestamp_ntz"),
        ("drs_json", "sqlserver", "datetimeoffset(6)", "timestamp"),
        ("drs_json", "sqlserver", "money", "decimal(19,4)"),
        ("drs_json", "sqlserver", "uniqueidentifier", "string"),
        ("drs_json", "sqlserver", "rowversion", "binary from hex"),
        ("drs_json", "gaussdb", "number(10,2)", "decimal(10,2)"),
        ("drs_json", "gaussdb", "timestamp with time zone", "timestamp"),
        ("drs_json", "gaussdb", "raw(16)", "binary from hex"),
    ],
)  # fmt: skip
def test_declares_by_type(format_id: str, source_type: str, type_text: str, declared: str) -> None:
    assert declare(format_id, source_type, type_text, Values()) == Declaration(declared)


@pytest.mark.parametrize(
    ("types", "dialects"),
    [
        # a length, or no sign, is MySQL's, whatever a statement of DDL left out beside it
        (["int(11)", "char", "decimal"], ["canal"]),
        (["bigint unsigned", "char"], ["canal"]),
        (["int64", "datetime"], ["oceanbase_default_extended"]),
        (["int", "varchar", "decimal"], ["oceanbase_default_extended"]),
        (["int", "decimal"], ["oceanbase_default_extended", "canal"]),
        (["int", "blob"], ["canal", "oceanbase_default_extended"]),
    ],
)
def test_tells_whose_types_a_table_of_canals_messages_has(
    types: list[str], dialects: list[str]
) -> None:
    assert dialects_of("canal", types) == dialects


def test_says_how_else_a_table_can_be_read(tmp_path: Path) -> None:
    one = table(key=["id"])
    one.columns[1].type_text = "blob"
    assert write_table(one, tmp_path).remarks == [
        "its types can be Canal's or OMS's, and are read as Canal's;"
        " if OMS writes them, declare id decimal(38,0), name binary from base64"
    ]
    one.columns[0].type_text = "bigint(20)"
    assert "its types can be" not in str(write_table(one, tmp_path).remarks)


def test_unknown_types_are_kept_as_text() -> None:
    assert declare("canal", "mysql", "hyperloglog", Values()) == Declaration("string", True)


@pytest.mark.parametrize(
    ("values", "declared"),
    [
        (Values(), "string"),
        (Values(count=3), "string"),
        (Values(count=3, booleans=True), "boolean from exact"),
        (Values(count=3, integers=True, numbers=True, whole_digits=18), "bigint from exact"),
        (Values(count=3, integers=True, numbers=True, whole_digits=20), "decimal(38,0)"),
        (Values(count=3, integers=True, numbers=True, whole_digits=39), "string"),
        (Values(count=3, numbers=True, whole_digits=5, fraction_digits=4), "decimal(38,4)"),
        (Values(count=3, numbers=True, whole_digits=30, fraction_digits=9), "string"),
        (Values(count=3, dates=True), "date"),
        (Values(count=3, datetimes=True), "timestamp_ntz"),
        (Values(count=3, instants=True), "timestamp"),
        (Values(count=3, numbers=True, epochs=True), "timestamp from epoch_seconds"),
    ],
)
def test_infers_from_values(values: Values, declared: str) -> None:
    assert infer(values) == declared
    assert declare("canal", "mysql", None, values) == Declaration(declared, True)


@pytest.mark.parametrize(
    ("type_text", "values", "declared"),
    [
        ("LONG", Values(), Declaration("bigint", True)),
        (
            "LONG",
            Values(count=1, integers=True, numbers=True, whole_digits=18),
            Declaration("bigint"),
        ),
        (
            "LONG",
            Values(count=1, integers=True, numbers=True, whole_digits=20),
            Declaration("decimal(38,0)", True),
        ),
        (
            "DOUBLE",
            Values(count=1, numbers=True, whole_digits=15, fraction_digits=17),
            Declaration("double from exact"),
        ),
        (
            "DOUBLE",
            Values(count=1, numbers=True, whole_digits=16, fraction_digits=2),
            Declaration("decimal(38,2)", True),
        ),
    ],
)
def test_a_name_for_all_numbers(type_text: str, values: Values, declared: Declaration) -> None:
    assert declare("dataworks_streamx", "mysql", type_text, values) == declared


@pytest.mark.parametrize(
    ("values", "declared"),
    [
        (Values(count=1, integers=True), Declaration("int", True)),
        (Values(count=1, datetimes=True), Declaration("timestamp_ntz", True)),
        (Values(count=1, dates=True), Declaration("date")),
    ],
)
def test_what_sources_call_a_date(values: Values, declared: Declaration) -> None:
    assert declare("cloudcanal_json", "", "date", values) == declared


def test_names_that_a_current_table_can_have() -> None:
    columns = ["id", "Name", "name", "NAME", "name__2", "_feed", "_KEY", "a b", "_row_count"]
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
    }


def table(
    name: str = "orders", feed: str = "shop", database: str = "shop", key: list[str] | None = None
) -> SourceTable:
    columns = [SourceColumn("id", "bigint", True), SourceColumn("name", "varchar(9)", False)]
    return SourceTable(feed, "canal", "mysql", database, None, name, columns, key)


def test_relations_have_plain_names() -> None:
    one = SourceTable("f", "canal", "", "My-Shop", "Öffentlich", "Order Items ", [], None)
    assert one.relation == "my_shop___ffentlich__order_items_"
    assert one.name == "My-Shop.Öffentlich.Order Items "


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
    assert written.remarks == ["types inferred from the values seen: it's `odd` \\ 名"]
    text = (tmp_path / "shop__orders.sql").read_text()
    assert """"it's `odd` \\\\ 名": 'string',""" in text
    model = yaml.safe_load((tmp_path / "shop__orders.yml").read_text())["models"][0]
    assert model["data_tests"] == [{"is_key": {"arguments": {"columns": ["id"]}}}]
    assert set(write_table(one, tmp_path).files.values()) == {"unchanged"}


class Catalog:
    """A session of a lake that is built."""

    catalog = property(lambda self: self)

    def tableExists(self, name: str) -> bool:  # noqa: N802 - Spark's name
        return True


def test_all_goes_on_behind_a_table_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first = tmp_path / "shop__items.sql"
    first.write_text("select 1")
    for name, fake in {
        "check_lake": lambda target: None,
        "spark_session": lambda *arguments, **options: Catalog(),
        "seen_tables": lambda spark: [table("items", key=["id"]), table(key=["id"])],
        "look_at_values": lambda spark, tables: None,
        "add_columns": lambda one: add_columns(one, tmp_path),
    }.items():
        monkeypatch.setattr(onboard, name, fake)
    monkeypatch.setattr(settings, "REPO", tmp_path)
    with pytest.raises(SystemExit):
        onboard.main(every=True, update=True, history=False)
    assert capsys.readouterr().out == (
        "written   shop__orders.sql  (shop.orders)\nwritten   shop__orders.yml\n"
        f"skipped   {first}: no 'columns': {{…}} with a line for each column: add them by hand\n"
    )


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


def seed(name: str) -> list[dict[str, str]]:
    with (settings.REPO / "seeds" / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


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
        " write decimal(38,1)",
    ]


TWO_DIGITS = Values(count=1, numbers=True, whole_digits=5, fraction_digits=2)


@pytest.mark.parametrize(
    ("declared", "needed", "values", "fits"),
    [
        ("timestamp_ntz from epoch_micros",
         Declaration("timestamp_ntz from epoch_millis"), Values(), False),
        ("string from time_micros", Declaration("string from time_millis"), Values(), False),
        ("decimal(14,4) from base64_unscaled(4)",
         Declaration("decimal(12,2) from base64_unscaled(2)"), Values(), False),
        ("string", Declaration("string from time"), Values(), True),
        ("double", Declaration("double from exact", True), Values(), True),
        ("double", Declaration("float"), Values(), True),
        ("float", Declaration("double"), Values(), False),
        ("decimal(20)", Declaration("bigint"), Values(), True),
        # a person's choice
        ("timestamp", Declaration("timestamp_ntz"), Values(), True),
        ("boolean", Declaration("tinyint"), Values(), True),
        # of a guess the values decide
        ("decimal(10,2)", Declaration("decimal(38,2)", True), TWO_DIGITS, True),
        ("decimal(10,1)", Declaration("decimal(38,2)", True), TWO_DIGITS, False),
        ("decimal(6,2)", Declaration("decimal(38,2)", True), TWO_DIGITS, False),
        ("int", Declaration("bigint", True), Values(1, True, True, whole_digits=10), True),
    ],
)  # fmt: skip
def test_what_a_declaration_holds(
    declared: str, needed: Declaration, values: Values, fits: bool
) -> None:
    assert holds(declared, needed, values) == fits


@pytest.mark.parametrize("layout", ["mysqlType", "columnType"])
def test_every_number_of_a_type_is_one_that_is_declared(layout: str) -> None:
    rules = {(row["format"], row["type_name"].lower()) for row in seed("source_types")}
    names = {row["type_name"] for row in seed("drs_types") if row["layout"] == layout}
    assert names and {name for name in names if ("drs_avro", name.lower()) not in rules} == set()


def test_the_types_of_jdbc_without_a_rule_are_those_of_no_column() -> None:
    rules = {(row["format"], row["type_name"].lower()) for row in seed("source_types")}
    own = {row["code"] for row in seed("drs_types") if row["layout"] == "mysqlType"}
    left = {row["jdbc_type"] for row in seed("jdbc_types") if row["code"] not in own}
    assert {name for name in left if ("drs_avro", name.lower()) not in rules} == {
        "ARRAY", "DATALINK", "DISTINCT", "JAVA_OBJECT", "NULL", "OTHER", "REF", "STRUCT", "unknown",
    }  # fmt: skip


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
    assert test == {"arguments": {"columns": ["id"]}, "config": {"where": "_is_current"}}
    assert set(write_history(one, tmp_path).values()) == {"unchanged"}


@pytest.mark.parametrize("suffix", [".sql", ".yml"])
def test_never_overwrites_what_a_person_changed(tmp_path: Path, suffix: str) -> None:
    folder, sql_outcome = tmp_path / "mine", "written"
    write_table(table(key=["id"]), folder)
    file = folder / f"shop__orders{suffix}"
    for changed in (file.read_text() + "-- mine\n", "all my own\n", ""):
        file.write_text(changed)
        # found wherever it was moved to below the folder of models
        grown = table(key=["id"])
        grown.columns.append(SourceColumn("more", "int", False))
        written = write_table(grown, tmp_path).files
        # the other file is not edited, and the .yml says nothing of columns
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
        # without a key rows are counted
        ([], []),
    ):
        chosen = choose_tables([shards(None, None)], [], None, {"shop.orders": given})
        assert chosen[0].key == key


def test_shards_have_one_key() -> None:
    with pytest.raises(UserError, match="orders_0 has the key id, but shop.orders_1 has no key"):
        shards(["id"], [])
    assert shards(["id"], ["name"], given=["shop__orders"]).key is None


def test_dates_are_looked_at_since_years_are_called_so() -> None:
    columns = [SourceColumn("d", "date", False), SourceColumn("n", "int", False)]
    one = SourceTable("f", "cloudcanal_json", "", "shop", None, "orders", columns, None)
    assert [needs_values(one, column) for column in columns] == [True, False]


def test_a_table_without_a_key() -> None:
    one = table(key=[])
    text = model_text(
        one, column_names(["id", "name"]), dict.fromkeys(["id", "name"], Declaration("int"))
    )
    assert "'key': []," in text
