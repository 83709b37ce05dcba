"""From a column's type or its values to its declaration."""

import csv

import pytest

from changelake.core import settings
from changelake.onboarding.compatible import holds, is_exceeded, wider
from changelake.onboarding.declarations import Declaration, declare, declare_known
from changelake.onboarding.source_types import dialects_of, split_type
from changelake.onboarding.tables import SourceColumn, SourceTable
from changelake.onboarding.values import Values, infer


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
        ("enum('a','b') charset latin1", ("enum", "'a','b'")),
        (
            "SET('a) charset b') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
            ("set", "'a) charset b'"),
        ),
        ("varchar(10) character set binary", ("varchar character set binary", "10")),
        ("double precision", ("double precision", "")),
        ("INTERVAL DAY(2) TO SECOND(6)", ("interval day to second", "6")),
        ("interval year(2) to month", ("interval year to month", "2")),
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
        ("canal", "mysql", f"decimal({'9' * 5000})", "string"),
        ("canal", "mysql", "float(24)", "float"),
        ("canal", "mariadb", "float(53) unsigned", "double"),
        ("canal", "mysql", "float(30,2)", "float"),
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
        ("oceanbase_dataworks", "ob_oracle", "DATE", "timestamp_ntz from epoch_millis_nanos"),
        ("oceanbase_dataworks", "ob_mysql", "DATE", "date from epoch_millis_nanos"),
        ("oceanbase_dataworks", "ob_mysql", "TIMESTAMP", "timestamp from epoch_seconds_or_millis"),
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
        (
            "debezium", "oracle",
            "org.apache.kafka.connect.data.Decimal:scale=-2,precision=36",
            "decimal(38,0) from base64_unscaled(-2)",
        ),
        (
            "debezium", "oracle",
            "org.apache.kafka.connect.data.Decimal:scale=-2,precision=37",
            "string from base64_unscaled(-2)",
        ),
        ("debezium", "postgresql", "array<int32>", "array<int>"),
        ("debezium", "postgresql", "array<io.debezium.time.Date>", "array<date> from epoch_days"),
        (
            "debezium", "postgresql",
            "array<org.apache.kafka.connect.data.Decimal:scale=2,precision=10>",
            "array<decimal(10,2)> from base64_unscaled(2)",
        ),
        (
            "debezium", "postgresql", "array<io.debezium.data.VariableScaleDecimal>",
            "array<string> from base64_struct",
        ),
        ("debezium", "postgresql", "array<map>", "array<string>"),
        # as an earlier version recorded it
        ("debezium", "postgresql", "array", "string"),
        ("debezium", "postgresql", "bytes", "binary from base64"),
        ("debezium", "postgresql", "bytes text", "string from base64"),
        ("debezium", "postgresql", "array<bytes text>", "array<string> from base64"),
        ("debezium", "sqlserver", "bytes hierarchyid", "string from hierarchyid"),
        ("debezium", "postgresql", "map", "map<string,string>"),
        ("debezium", "postgresql", "io.debezium.data.Bits:length=5", "string from bits(5)"),
        ("debezium", "postgresql", "io.debezium.data.Bits:length=2147483647", "string from bits"),
        ("debezium", "postgresql", "io.debezium.data.Bits varying:length=5", "string from bits"),
        ("debezium", "postgresql", "io.debezium.data.Json hstore", "map<string,string>"),
        ("debezium", "mysql", "io.debezium.data.Bits:length=5", "decimal(20,0) from bits"),
        # Vitess's connector sends MySQL's own bytes.
        (
            "debezium", "vitess", "io.debezium.data.Bits:length=12",
            "decimal(20,0) from big_endian_bits",
        ),
        ("drs_json", "postgresql", "integer[]", "array<int>"),
        ("drs_json", "gaussdb", "_int8", "array<bigint>"),
        ("drs_json", "postgresql", "numeric[]", "array<string>"),
        ("drs_avro", "postgresql", "bytea[]", "array<binary> from hex"),
        # This dialect's own times are in seconds.
        ("dts_avro", "postgresql", "timestamp without time zone[]", "array<timestamp_ntz>"),
        ("dts_avro", "ppas", "time without time zone[]", "array<string> from time"),
        ("dts_avro", "postgresql", "composite[]", "array<string>"),
        ("oceanbase_dataworks", "db2", "TIMESTAMP", "timestamp_ntz from epoch_millis_nanos"),
        ("oceanbase_default_extended", "db2", "TIMESTAMP", "timestamp_ntz"),
        ("drs_json", "oracle", "timestamp(9)", "string"),
        ("drs_json", "oracle", "TIMESTAMP(6) WITH LOCAL TIME ZONE", "timestamp"),
        ("drs_json", "oracle", "TIMESTAMP(9) WITH LOCAL TIME ZONE", "string"),
        ("drs_json", "oracle", "INTERVAL DAY(2) TO SECOND(6)", "string"),
        ("dts_avro", "oracle", "timestamp with local time zone", "timestamp"),
        ("debezium", "oracle", "io.debezium.time.MicroDuration", "bigint"),
        ("debezium", "mysql", "array<float>", "array<float>"),
        ("ticdc", "tidb", "vector(3)", "array<float>"),
        ("debezium", "ticdc", "io.debezium.data.TiDBVectorFloat32", "array<float>"),
        ("drs_json", "postgresql", "vector(3)", "array<float>"),
        ("drs_json", "oracle", "rowid", "string"),
        ("drs_json", "sqlserver", "datetime2(7)", "string"),
        ("canal", "mysql", "enum('a','b') charset latin1", "string from enum('a','b')"),
        ("drs_json", "sqlserver", "datetime2(3)", "timestamp_ntz"),
        # SQL Server's default is 7 digits.
        ("drs_json", "sqlserver", "datetime2", "string"),
        ("drs_json", "sqlserver", "datetimeoffset", "string"),
        ("cloudcanal_json", "", "datetime2", "string"),
        ("drs_json", "sqlserver", "datetimeoffset(6)", "timestamp"),
        ("drs_json", "sqlserver", "money", "decimal(19,4)"),
        ("drs_json", "sqlserver", "uniqueidentifier", "string"),
        ("drs_json", "sqlserver", "rowversion", "binary from hex"),
        ("drs_json", "gaussdb", "number(10,2)", "decimal(10,2)"),
        ("drs_json", "gaussdb", "timestamp with time zone", "timestamp"),
        ("drs_json", "gaussdb", "raw(16)", "binary from hex"),
        ("dms_json", "", "INT8", "bigint"),
        ("dms_json", "", "UINT64", "decimal(20,0)"),
        ("dms_json", "", "NUMERIC(12,3)", "decimal(12,3)"),
        ("dms_json", "", "WSTRING(40)", "string"),
        ("dms_json", "", "BYTES(8)", "binary from hex"),
        ("dms_json", "", "DATETIME(6)", "timestamp"),
        ("dms_json", "", "DATETIME(9)", "string"),
    ],
)  # fmt: skip
def test_declares_by_type(format_id: str, source_type: str, type_text: str, declared: str) -> None:
    assert declare(format_id, source_type, type_text, Values()) == Declaration(declared)


@pytest.mark.parametrize(
    ("types", "dialects"),
    [
        # A length or `unsigned` shows that types are MySQL's, even if a DDL statement left out
        # others.
        (["int(11)", "char", "decimal"], ["canal"]),
        (["bigint unsigned", "char"], ["canal"]),
        (["int64", "datetime"], ["oceanbase_default_extended"]),
        (["int", "varchar", "decimal"], ["oceanbase_default_extended"]),
        (["int", "decimal"], ["oceanbase_default_extended", "canal"]),
        (["int", "blob"], ["canal", "oceanbase_default_extended"]),
        # Blanks and case do not matter.
        ([" INT", "VarChar "], ["oceanbase_default_extended"]),
        (["INT\tUnsigned", "char"], ["canal"]),
        # OceanBase's Oracle tenant
        (["NUMBER(10,2)", "date"], ["oceanbase_default_extended"]),
    ],
)
def test_tells_whose_types_a_table_of_canals_messages_has(
    types: list[str], dialects: list[str]
) -> None:
    assert dialects_of("canal", types) == dialects


def test_types_of_oracle_in_canals_messages_are_an_oracle_tenants() -> None:
    types = {"ID": "number", "NAME": "varchar2(9)", "AT": "date", "BYTES": "blob"}
    columns = [SourceColumn(name, kind, name == "ID") for name, kind in types.items()]
    table = SourceTable("f", "canal", "mysql", "d", None, "t", columns, ["ID"])
    assert [table.declaration(column).text for column in columns] == [
        "decimal(38,0)", "string", "timestamp_ntz", "binary from base64",
    ]  # fmt: skip


def test_debezium_may_write_decimals_as_numbers() -> None:
    """With `decimal.format=NUMERIC`: Base64 hardly ever reads as a number."""
    kind = "org.apache.kafka.connect.data.Decimal:scale=2,precision=10"
    numbers = Values(count=3, numbers=True, whole_digits=4, fraction_digits=2)
    assert declare("debezium", "mysql", kind, numbers).text == "decimal(10,2) from bare"
    mixed = Values(count=3, whole_digits=4)
    assert declare("debezium", "mysql", kind, mixed).text == "decimal(10,2) from base64_unscaled(2)"


def test_unknown_types_are_kept_as_text() -> None:
    assert declare("canal", "mysql", "hyperloglog", Values()) == Declaration("string", True)


@pytest.mark.parametrize(
    ("values", "declared"),
    [
        (Values(), "string"),
        (Values(count=3), "string"),
        (Values(count=3, booleans=True), "boolean from exact"),
        (Values(count=3, integers=True, numbers=True, whole_digits=18), "bigint from exact"),
        (Values(count=3, integers=True, numbers=True, whole_digits=20), "decimal(38,0) from exact"),
        (Values(count=3, integers=True, numbers=True, whole_digits=39), "string"),
        (
            Values(count=3, numbers=True, whole_digits=5, fraction_digits=4),
            "decimal(38,4) from exact",
        ),
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
    is_whole = values.integers or not values.numbers or values.epochs
    assert infer(values, is_key=True) == (declared if is_whole else "string")


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
        (
            "DOUBLE",
            Values(1, numbers=True, whole_digits=15, fraction_digits=4, significant_digits=19),
            Declaration("decimal(38,4)", True),
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


def seed(name: str) -> list[dict[str, str]]:
    with (settings.REPO / "seeds" / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


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
        ("string", Declaration("array<int>"), Values(), True),
        ("array<bigint>", Declaration("array<int>"), Values(), True),
        ("array<int>", Declaration("array<bigint>"), Values(), False),
        ("array<date> from epoch_days", Declaration("array<date>"), Values(), False),
        ("array<decimal(5,2)>", Declaration("array<decimal(38,2)>", True), TWO_DIGITS, False),
        ("double", Declaration("float"), Values(), True),
        ("float", Declaration("double"), Values(), False),
        ("decimal(20)", Declaration("bigint"), Values(), True),
        # a person's choice
        ("timestamp", Declaration("timestamp_ntz"), Values(), True),
        ("boolean", Declaration("tinyint"), Values(), True),
        # For a guessed type the values decide.
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
def test_every_drs_type_number_has_a_rule(layout: str) -> None:
    rules = {(row["format"], row["type_name"].lower()) for row in seed("source_types")}
    names = {row["type_name"] for row in seed("drs_types") if row["layout"] == layout}
    assert names and {name for name in names if ("drs_avro", name.lower()) not in rules} == set()


def test_jdbc_types_without_a_rule_are_no_column_types() -> None:
    rules = {(row["format"], row["type_name"].lower()) for row in seed("source_types")}
    own = {row["code"] for row in seed("drs_types") if row["layout"] == "mysqlType"}
    left = {row["jdbc_type"] for row in seed("jdbc_types") if row["code"] not in own}
    assert {name for name in left if ("drs_avro", name.lower()) not in rules} == {
        "ARRAY", "DATALINK", "DISTINCT", "JAVA_OBJECT", "NULL", "OTHER", "REF", "STRUCT", "unknown",
    }  # fmt: skip


def test_only_ambiguous_jdbc_codes_have_no_rule() -> None:
    rows = seed("source_types")
    rules = {row["type_name"] for row in rows if row["format"] == "cloudcanal_json"}
    left = {row["jdbc_type"] for row in seed("jdbc_types") if row["code"] not in rules}
    assert left == {
        "ARRAY", "BINARY", "BIT", "BLOB", "DATALINK", "DISTINCT", "FLOAT", "JAVA_OBJECT",
        "LONGVARBINARY", "NULL", "OTHER", "REAL", "REF", "STRUCT", "VARBINARY", "unknown",
    }  # fmt: skip
    assert declare("cloudcanal_json", "", "-5", Values()) == Declaration("decimal(20,0)")
    assert declare("cloudcanal_json", "", "7", Values()) == Declaration("string", True)
    two_digits = Values(count=1, numbers=True, whole_digits=5, fraction_digits=2)
    assert declare("cloudcanal_json", "", "3", two_digits) == Declaration("decimal(38,2)", True)


def test_a_date_of_mysql_has_no_time_of_day() -> None:
    midnights = Values(count=1, datetimes=True)
    assert declare("dts_avro", "drds", "date", midnights) == Declaration("date")
    assert declare("dts_avro", "oracle", "date", midnights) == Declaration("timestamp_ntz")


def test_a_time_of_oracle_may_have_a_zone_or_nanoseconds() -> None:
    zoned = Values(count=2, instants=True)
    for format_id in ("oceanbase_default_extended", "oceanbase_dataworks"):
        assert declare(format_id, "ob_oracle", "DATETIME", zoned).text == "timestamp"
        assert declare(format_id, "ob_mysql", "DATETIME", zoned).text.startswith("timestamp_ntz")
    # Nine digits are more than a timestamp holds; with zeros at the end they read as dates.
    nanos = Values(count=2, fraction_digits=9)
    micros = Values(count=2, datetimes=True, fraction_digits=9)
    for format_id in ("oceanbase_default_extended", "oceanbase_dataworks"):
        assert declare(format_id, "ob_oracle", "DATETIME", nanos).text == "string"
        assert declare(format_id, "ob_oracle", "ZONED_DATETIME", nanos).text == "string"
        assert declare(format_id, "ob_oracle", "DATETIME", micros).text.startswith("timestamp_ntz")
    # The name of Debezium's type says that it has none.
    name = "io.debezium.time.IsoTimestamp"
    assert declare("debezium", "oracle", name, zoned).text == "timestamp_ntz"


def test_a_year_is_no_date() -> None:
    for digits, text in ((4, "int"), (13, "date from epoch_millis_nanos")):
        found = Values(count=2, integers=True, numbers=True, whole_digits=digits)
        assert declare("oceanbase_dataworks", "ob_mysql", "DATE", found).text == text


def test_types_go_by_any_name_that_mysql_takes() -> None:
    for format_id, name, declared in (
        ("canal", "SERIAL", "decimal(20,0)"),
        ("canal", "INT4(10) UNSIGNED", "bigint"),
        ("canal", "long varbinary", "binary from latin1"),
        ("canal", "character varying(20)", "string"),
        ("ticdc", "char(5) byte", "binary from base64"),
    ):
        assert declare(format_id, "mysql", name, Values()).text == declared


def test_an_identity_column_has_the_type_before_that_word() -> None:
    assert declare("drs_json", "sqlserver", "int identity", Values()) == Declaration("int")


@pytest.mark.parametrize(
    ("known", "sent", "values", "declared"),
    [
        ("integer[]", None, Values(), "array<int>"),
        ("_int8", None, Values(), "array<bigint>"),
        ("integer ARRAY", "array<int32>", Values(), "array<int>"),
        ("character varying(20)[3]", None, Values(), "array<string>"),
        ("timestamp(3) without time zone[]", None, Values(),
         "array<timestamp_ntz> from epoch_millis"),
        # The values show options that nothing else does.
        ("numeric(10,2)[]", None, TWO_DIGITS, "array<decimal(10,2)>"),
        ("numeric(10,2)[]", None, Values(1, base64=True),
         "array<decimal(10,2)> from base64_unscaled(2)"),
        ("numeric[]", "array<io.debezium.data.VariableScaleDecimal>", Values(),
         "array<string> from base64_struct"),
        # a custom converter, and values that can be nested to any depth
        ("integer[]", "string", Values(), "string"),
        ("integer[][]", None, Values(), "string"),
        ("hstore", "io.debezium.data.Json", Values(), "map<string,string>"),
        ("hstore", None, Values(1, objects=True), "map<string,string>"),
        ("hstore[]", None, Values(), "array<string>"),
        ("bit(5)", None, Values(), "string from bits(5)"),
        ("bit(5)", "io.debezium.data.Bits:length=5", Values(), "string from bits(5)"),
        ("bit varying(5)", "io.debezium.data.Bits:length=5", Values(), "string from bits"),
        ("bit varying(5)", None, Values(), "string from bits"),
    ],
)  # fmt: skip
def test_lists_and_bit_strings_that_the_database_tells(
    known: str, sent: str | None, values: Values, declared: str
) -> None:
    found = declare_known("debezium", "postgresql", sent, "postgresql", known, values)
    assert found.text == declared
    assert declare_known("dms_json", "", None, "postgresql", known, Values()).text == "string"


@pytest.mark.parametrize(
    ("known", "declared"),
    [
        ("integer[]", "array<int>"),
        ("numeric(10,2)[]", "array<decimal(10,2)>"),
        ("numeric[]", "array<string>"),
        ("timestamp(3) with time zone[]", "array<timestamp>"),
        ("integer[][]", "string"),
        # Its elements contain commas and are separated by semicolons.
        ("box[]", "string"),
    ],
)
def test_lists_in_postgresqls_own_text(known: str, declared: str) -> None:
    for format_id, sent in (("drs_json", None), ("drs_json", "array"), ("dts_avro", "text[]")):
        found = declare_known(format_id, "postgresql", sent, "postgresql", known, Values())
        assert found.text == declared


def test_what_the_database_knows_better() -> None:
    for family, known, sent, declared in (
        ("postgresql", "int4multirange", "bytes", "string from base64"),
        ("postgresql", "nummultirange", "bytes text", "string from base64"),
        ("postgresql", "tsmultirange", None, "string from base64"),
        ("postgresql", "address", "bytes", "string from base64"),
        ("postgresql", "bytea", "bytes", "binary from base64"),
        ("sqlserver", "hierarchyid", "bytes", "string from hierarchyid"),
        ("sqlserver", "varbinary(8)", "bytes", "binary from base64"),
        ("mysql", "vector(3)", "array<float>", "array<float>"),
        ("mysql", "vector(3)", None, "array<float>"),
        ("postgresql", "vector(3)", "array<double>", "array<double>"),
        ("oracle", "INTERVAL DAY(2) TO SECOND(6)", "io.debezium.time.MicroDuration", "bigint"),
        ("oracle", "INTERVAL YEAR(2) TO MONTH", "io.debezium.time.Interval", "string"),
    ):
        found = declare_known("debezium", family, sent, family, known, Values())
        assert found.text == declared


@pytest.mark.parametrize(
    ("family", "known", "digits", "declared"),
    [
        ("mysql", "datetime", 13, "timestamp_ntz from epoch_millis"),
        ("mysql", "datetime", 15, "timestamp_ntz from epoch_millis"),
        ("mysql", "datetime", 16, "timestamp_ntz from epoch_micros"),
        ("mysql", "datetime", 19, "timestamp_ntz from epoch_nanos"),
        ("mysql", "datetime(6)", 13, "timestamp_ntz from epoch_millis"),
        ("mysql", "datetime(6)", 18, "timestamp_ntz from epoch_micros"),
        ("mysql", "datetime(6)", 19, "timestamp_ntz from epoch_nanos"),
        ("mysql", "time", 13, "string from time_micros"),
        ("mysql", "time", 14, "string from time_nanos"),
        ("postgresql", "time(3)", 8, "string from time_millis"),
        ("postgresql", "time(3)", 11, "string from time_micros"),
        ("postgresql", "time(3)", 14, "string from time_nanos"),
        ("sqlserver", "datetime2(7)", 19, "string from epoch_nanos"),
    ],
)
def test_the_unit_of_a_time_is_told_by_its_longest_value(
    family: str, known: str, digits: int, declared: str
) -> None:
    values = Values(2, integers=True, numbers=True, whole_digits=digits)
    assert declare_known("debezium", family, None, family, known, values).text == declared


def test_a_name_of_debeziums_is_not_the_databases() -> None:
    for family, known, declared in (
        ("postgresql", "int8", "bigint"),
        ("sqlserver", "float(53)", "double"),
        ("mysql", "float", "float"),
        ("mysql", "int8", "bigint"),
    ):
        assert declare_known("debezium", family, None, family, known, Values()).text == declared


@pytest.mark.parametrize(
    ("declared", "needed", "found", "fits"),
    [
        ("bigint", "decimal(14,3) from base64_unscaled(3)",
         "decimal(22,3) from base64_unscaled(3)", False),
        ("decimal(10,2) from base64_unscaled(2)", "string", "string", True),
        ("date from epoch_days", "timestamp_ntz from epoch_micros",
         "timestamp_ntz from epoch_micros", True),
        ("timestamp_ntz from epoch_millis", "string from epoch_nanos", "string from epoch_nanos",
         True),
        # It holds these values as it is.
        ("timestamp_ntz from epoch_millis", "timestamp_ntz from epoch_micros", "", True),
    ],
)  # fmt: skip
def test_another_encoding_is_followed_where_messages_tell_theirs(
    declared: str, needed: str, found: str, fits: bool
) -> None:
    assert wider(Declaration(needed), declared, tells_encodings=True) == found
    assert wider(Declaration(needed), declared) == ""
    assert holds(declared, Declaration(needed), Values(), tells_encodings=True) == fits


@pytest.mark.parametrize("declared", ["tinyint", "smallint", "int", "float"])
def test_a_double_holds_what_was_shorter(declared: str) -> None:
    assert wider(Declaration("double"), declared) == "double"
    assert wider(Declaration(declared), "double") == ""


def test_a_list_gets_wider_with_its_elements() -> None:
    assert wider(Declaration("array<bigint>"), "array<int>") == "array<bigint>"
    assert wider(Declaration("array<int>"), "array<bigint>") == ""
    assert wider(Declaration("array<int>"), "string") == ""
    longer = Declaration("array<decimal(10,4)> from base64_unscaled(4)")
    declared = "array<decimal(10,2)> from base64_unscaled(2)"
    assert wider(longer, declared, True) == "array<decimal(12,4)> from base64_unscaled(4)"
    assert is_exceeded(Declaration("array<int>"), "debezium", None, "postgresql", TWO_DIGITS)
    # An integer holds true and false, a decimal if the message says what they are.
    booleans = Values(count=2, booleans=True, letters=True)
    for declared, type_text, exceeds in (
        ("int", None, False), ("decimal(1,0)", None, True), ("decimal(1,0)", "boolean", False),
    ):  # fmt: skip
        found = is_exceeded(Declaration(declared), "debezium", type_text, "oracle", booleans)
        assert found == exceeds
    assert is_exceeded(
        Declaration("map<string,string>"), "debezium", None, "postgresql", Values(count=1)
    )
