# ruff: noqa: E101, E501 - Oracle and SQL Server write tabs, and each case is one line
"""Declarations from a database's description of its tables: `create table` or the catalog."""

import codecs
import gzip
from pathlib import Path

import pytest
import yaml

from changelake.core import settings
from changelake.core.errors import UserError
from changelake.onboarding import schema_files
from changelake.onboarding.ddl import TableDdl
from changelake.onboarding.declarations import declare_known
from changelake.onboarding.differences import (
    Change,
    Kind,
    changes_by_values,
    changes_of,
    guessed_columns,
)
from changelake.onboarding.following import follow_source
from changelake.onboarding.model_columns import Columns, TableMeta, declared
from changelake.onboarding.model_files import write_history, write_table
from changelake.onboarding.schema_files import read_schema
from changelake.onboarding.schema_matching import remarks_on, take_schema
from changelake.onboarding.schema_tables import SchemaTable
from changelake.onboarding.shards import join_shards
from changelake.onboarding.table_events import Alter
from changelake.onboarding.tables import SourceColumn, SourceTable
from changelake.onboarding.values import Values

MYSQL = """
-- MariaDB dump
USE `shop`;
/*!40101 SET @saved = @@character_set_client */;
DROP TABLE IF EXISTS `orders`;
CREATE TABLE `orders` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT COMMENT 'it''s the number',
  `kind` enum('a, (b)','it''s') CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT 'a, (b)',
  `tags` set('x','y z') DEFAULT NULL,
  `Total` decimal(10,2) unsigned zerofill NOT NULL DEFAULT '0.00' COMMENT 'in {{ euros }}, net',
  `at` timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
  `bits` bit(8) DEFAULT b'0',
  `twice` int GENERATED ALWAYS AS ((`id` * 2)) VIRTUAL,
  `place` geometry NOT NULL /*!80003 SRID 4326 */,
  PRIMARY KEY (`id`,`kind`(10) DESC),
  UNIQUE KEY `total` (`Total`), FULLTEXT KEY `text` (`kind`) WITH PARSER ngram,
  KEY `expression` ((lower(`kind`))),
  CONSTRAINT `positive` CHECK ((`Total` > 0)),
  CONSTRAINT `other` FOREIGN KEY (`id`) REFERENCES `o` (`id`) ON DELETE CASCADE
) ENGINE=InnoDB AUTO_INCREMENT=9 COMMENT='orders, as they come'
  PARTITION BY HASH (`id`) PARTITIONS 4;
INSERT INTO `orders` VALUES (1,'it\\'s (','x'),(2,NULL,'create table t (a int)');
create table other.`t.2` (a int primary key, `key` varchar(3), b double precision);
"""
POSTGRESQL = """
SET default_tablespace = '';
CREATE TABLE public.orders (
    id integer NOT NULL,
    "Name" character varying(10)[] DEFAULT ARRAY['a'::text],
    at timestamp(3) without time zone DEFAULT now() NOT NULL,
    zoned timestamp with time zone,
    mood public.mood DEFAULT 'sad'::public.mood,
    period interval day to second(3),
    key text,
    price numeric(10,2) GENERATED ALWAYS AS ((id)::numeric * 2) STORED,
    CONSTRAINT positive CHECK ((id > 0)),
    EXCLUDE USING gist (at WITH &&)
)
PARTITION BY RANGE (at)
WITH (fillfactor='70');
COMMENT ON TABLE public.orders IS 'all of them';
COMMENT ON COLUMN public.orders."Name" IS 'what it''s called';
CREATE TABLE public.part PARTITION OF public.orders FOR VALUES FROM (1) TO (2);
ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (id, "Name");
"""
ORACLE = """
  CREATE TABLE "SHOP"."ORDERS"
   (	"ID" NUMBER(*,0) NOT NULL ENABLE,
	total NUMBER(10,-2) DEFAULT 0,
	"at" TIMESTAMP (6) WITH LOCAL TIME ZONE,
	SPAN INTERVAL DAY (2) TO SECOND (6),
	OLD LONG RAW,
	DOC "SYS"."XMLTYPE",
	 CONSTRAINT "PK" PRIMARY KEY ("ID") USING INDEX PCTFREE 10 STORAGE(INITIAL 65536) ENABLE,
	 SUPPLEMENTAL LOG DATA (ALL) COLUMNS
   ) SEGMENT CREATION IMMEDIATE LOB ("DOC") STORE AS SECUREFILE (TABLESPACE "USERS");
  COMMENT ON COLUMN "SHOP"."ORDERS"."ID" IS 'the number';
"""
SQLSERVER = """
SET ANSI_NULLS ON
GO
CREATE TABLE [dbo].[Orders](
	[Id] [int] IDENTITY(1,1) NOT NULL,
	[Name] [nvarchar](max) COLLATE Latin1_General_CI_AS NULL,
	[Total] [decimal](10, 2) NOT NULL CONSTRAINT [zero] DEFAULT ((0)),
	[At] [datetime2](7) NULL,
	[Twice] AS ([Id]*(2)) PERSISTED,
	[Phone] [dbo].[PhoneNumber] SPARSE,
 CONSTRAINT [PK] PRIMARY KEY CLUSTERED ([Id] ASC) WITH (PAD_INDEX = OFF) ON [PRIMARY]
) ON [PRIMARY] TEXTIMAGE_ON [PRIMARY]
GO
CREATE TABLE [dbo].[Log] ([Line] [varchar](20) DEFAULT N'a b, c')
GO
EXEC sys.sp_addextendedproperty @name=N'MS_Description', @value=N'' , @level0type=N'SCHEMA',@level0name=N'dbo', @level1type=N'TABLE',@level1name=N'Log'
GO
EXEC sys.sp_addextendedproperty @name=N'MS_Description', @value=N'it''s, net; all' , @level0type=N'SCHEMA',@level0name=N'dbo', @level1type=N'TABLE',@level1name=N'Orders', @level2type=N'COLUMN',@level2name=N'Total'
GO
EXEC sys.sp_addextendedproperty @name=N'MS_Description', @value=N'an index', @level0type=N'SCHEMA',@level0name=N'dbo', @level1type=N'TABLE',@level1name=N'Orders', @level2type=N'INDEX',@level2name=N'Id'
GO
EXEC sys.sp_addextendedproperty @name=N'Owner', @value=N'sales', @level0type=N'SCHEMA',@level0name=N'dbo', @level1type=N'TABLE',@level1name=N'Orders'
EXEC sp_addextendedproperty 'MS_Description', 'by place', 'user', dbo, 'table', [Orders], null, null
GO
EXEC sp_addextendedproperty 'MS_Description'
"""


def schema(
    tmp_path: Path, text: str, name: str = "schema.sql", *families: str
) -> list[SchemaTable]:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return read_schema(file, set(families))


def types(table: SchemaTable) -> dict[str, str]:
    return {column.name: column.type_text for column in table.columns}


def comments(table: SchemaTable) -> dict[str, str]:
    return {column.name: column.comment for column in table.columns if column.comment}


def test_mysqls_statements(tmp_path: Path) -> None:
    orders, other = schema(tmp_path, MYSQL)
    assert (orders.family, orders.whole_name) == ("mysql", "shop.orders")
    assert types(orders) == {
        "id": "bigint(20) unsigned",
        "kind": "enum('a, (b)','it''s')",
        "tags": "set('x','y z')",
        "Total": "decimal(10,2) unsigned",
        "at": "timestamp(6)",
        "bits": "bit(8)",
        "twice": "int",
        "place": "geometry",
    }
    assert orders.key == ["id", "kind"]
    assert orders.comment == "orders, as they come"
    assert comments(orders) == {"id": "it's the number", "Total": "in {{ euros }}, net"}
    assert (other.qualifiers, other.name, other.key) == (("other",), "t.2", ["a"])
    assert types(other) == {"a": "int", "key": "varchar(3)", "b": "double precision"}


def test_postgresqls_statements(tmp_path: Path) -> None:
    (orders,) = schema(tmp_path, POSTGRESQL)
    assert (orders.family, orders.whole_name) == ("postgresql", "public.orders")
    assert types(orders) == {
        "id": "integer",
        "Name": "character varying(10)[]",
        "at": "timestamp(3) without time zone",
        "zoned": "timestamp with time zone",
        "mood": "public.mood",
        "period": "interval day to second(3)",
        "key": "text",
        "price": "numeric(10,2)",
    }
    assert orders.key == ["id", "Name"]
    assert orders.comment == "all of them"
    assert comments(orders) == {"Name": "what it's called"}


def test_oracles_statements(tmp_path: Path) -> None:
    (orders,) = schema(tmp_path, ORACLE)
    assert (orders.family, orders.whole_name) == ("oracle", "SHOP.ORDERS")
    assert types(orders) == {
        "ID": "NUMBER(*,0)",
        "TOTAL": "NUMBER(10,-2)",
        "at": "TIMESTAMP (6) WITH LOCAL TIME ZONE",
        "SPAN": "INTERVAL DAY (2) TO SECOND (6)",
        "OLD": "LONG RAW",
        "DOC": "SYS.XMLTYPE",
    }
    assert (orders.key, comments(orders)) == (["ID"], {"ID": "the number"})


def test_strings_of_any_kind_are_one(tmp_path: Path) -> None:
    oracle = "create table t (a varchar2(9) default q'[it's, b (c]', w number primary key)"
    (one,) = schema(tmp_path, oracle, "s.sql", "oracle")
    assert (types(one), one.key) == ({"A": "varchar2(9)", "W": "number"}, ["W"])
    postgresql = """
create table t (a text default $$x, y ($$, b text default E'it\\'s, (');
comment on column t.a is E'C:\\\\it\\'s';
create function f() returns void as $$ create table t (c int); $$;
"""
    (one,) = schema(tmp_path, postgresql, "s.sql", "postgresql")
    assert (types(one), comments(one)) == ({"a": "text", "b": "text"}, {"a": "C:\\it's"})


@pytest.mark.parametrize(
    ("family", "column", "type_text"),
    [
        ("sqlserver", "varbinary(max) FILESTREAM NULL", "varbinary(max)"),
        ("sqlserver", "xml COLUMN_SET FOR ALL_SPARSE_COLUMNS", "xml"),
        ("postgresql", "bytea COMPRESSION lz4", "bytea"),
        ("postgresql", "integer OPTIONS (column_name 'x')", "integer"),
        ("mysql", "bigint AUTO_RANDOM(5) PRIMARY KEY", "bigint"),
    ],
)
def test_what_is_behind_a_type(tmp_path: Path, family: str, column: str, type_text: str) -> None:
    (one,) = schema(tmp_path, f"create table t (a {column})", "s.sql", family)
    assert [column.type_text for column in one.columns] == [type_text]


def test_sql_servers_statements(tmp_path: Path) -> None:
    orders, log = schema(tmp_path, SQLSERVER)
    assert (orders.family, orders.whole_name) == ("sqlserver", "dbo.Orders")
    assert types(orders) == {
        "Id": "int",
        "Name": "nvarchar(max)",
        "Total": "decimal(10, 2)",
        "At": "datetime2(7)",
        "Twice": "",
        "Phone": "dbo.PhoneNumber",
    }
    assert (orders.key, log.key, types(log)) == (["Id"], [], {"Line": "varchar(20)"})
    assert (orders.comment, comments(orders)) == ("by place", {"Total": "it's, net; all"})
    assert (log.comment, comments(log)) == ("", {})


def test_a_catalogs_rows(tmp_path: Path) -> None:
    text = (
        "SOURCE_TYPE,DATABASE_NAME,SCHEMA_NAME,TABLE_NAME,COLUMN_NAME,COLUMN_TYPE,KEY_POSITION,COMMENT\n"
        'mysql,shop,,orders,line,int unsigned,2,\n\nmysql,shop,,orders,id,bigint,1,"a, ""b"""\n'
        'mysql,shop,,orders,price,"decimal(10,2)",,\npostgres,,public,orders,id,uuid,,\n'
    )
    orders, other = schema(tmp_path, text, "schema.csv")
    assert (orders.family, orders.whole_name, orders.key) == (
        "mysql",
        "shop.orders",
        ["id", "line"],
    )
    assert types(orders) == {"line": "int unsigned", "id": "bigint", "price": "decimal(10,2)"}
    assert comments(orders) == {"id": 'a, "b"'}
    assert (other.family, other.whole_name, other.key) == ("postgresql", "public.orders", [])


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("s.sql", "select 1", "no `create table` with columns can be read in it"),
        ("s.sql", "", "no `create table` with columns can be read in it"),
        ("s.sql", "create table t as select 1", "no `create table` with columns can be read in it"),
        ("s.sql", "create table t (", "line 1: what begins there lacks its )"),
        ("s.sql", "create table t ('", "line 1: what begins there lacks its '"),
        ("s.sql", "\ncreate table t (a int, b", "line 2: what begins there lacks its )"),
        ("s.sql", "create table t (a int)\n/* x", "line 2: what begins there lacks its */"),
        ("s.sql", "create table `t` (a int, primary key (b))", "t has no column 'b' for its key"),
        (
            "s.sql",
            "create table t (a int, b date)",
            "say which in a first line `-- source_type: mysql`",
        ),
        (
            "s.sql",
            "-- source_type: db2\ncreate table t (a int)",
            "unknown source_type 'db2': use one of",
        ),
        ("s.csv", "", "no column source_type"),
        ("s.csv", "source_type,table_name,column_name\n", "no column column_type"),
        (
            "s.csv",
            "source_type,table_name,column_name,column_type\n",
            "no row below its first line",
        ),
        (
            "s.csv",
            "source_type,table_name,column_name,column_type\n,t,a,int\n",
            "line 2: unknown source_type '': use one of",
        ),
        (
            "s.csv",
            'source_type,table_name,column_name,column_type\nmysql,t,a,"int\nmysql,t,b,int\n',
            "line 3: unexpected end of data: close each quote",
        ),
        (
            "s.csv",
            "source_type;table_name;column_name;column_type\nmysql;t;a;enum('x;y')\n",
            "line 2: 5 fields, and the first line names 4: quote a field that has a semicolon",
        ),
        (
            "s.csv",
            "source_type,table_name,column_name,column_type\nmysql,,a,int\n",
            "line 2: no table_name: remove the line, or complete it",
        ),
        (
            "s.csv",
            "source_type,table_name,column_name,column_type\nmysql,t,a,decimal(10,2)\n",
            "line 2: 5 fields, and the first line names 4",
        ),
        (
            "s.csv",
            "source_type,table_name,column_name,column_type,key_position\nmysql,t,a,int,PRI\n",
            "line 2: key_position 'PRI' is not a number from 1",
        ),
    ],
)
def test_a_file_that_cannot_be_read(tmp_path: Path, name: str, text: str, said: str) -> None:
    with pytest.raises(UserError) as error:
        schema(tmp_path, text, name)
    assert said in str(error.value) and "\n" not in str(error.value)


def test_a_file_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"--schema .*: No such file"):
        read_schema(tmp_path / "none.sql", set())
    with pytest.raises(UserError, match=r"--schema .*: Is a directory"):
        read_schema(tmp_path, set())


def test_the_encoding_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "s.sql"
    text = "create table `t` (\r\n`a` int comment 'n\u00ba \u8ba2\u5355')"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        file.write_bytes(text.encode(encoding))
        (one,) = read_schema(file, set())
        assert comments(one) == {"a": "n\u00ba \u8ba2\u5355"}
    file.write_bytes(codecs.BOM_UTF16_BE + text.encode("utf-16-be"))
    assert read_schema(file, set()) == [one]
    for data, said in (
        (text.encode("gb18030"), r"line 2: not UTF-8 \(byte 38\): save it as UTF-8"),
        ("create".encode("utf-16-le"), r"line 1: not UTF-8 \(byte 1\)"),
        (codecs.BOM_UTF16_LE + b"a", r"line 1: not UTF-8"),
        (b"\0" * 9, r"line 1: not UTF-8 \(byte 0\)"),
        (gzip.compress(text.encode()), r"line 1: not UTF-8 \(byte 1\)"),
    ):
        file.write_bytes(data)
        with pytest.raises(UserError, match=said):
            read_schema(file, set())
    monkeypatch.setattr(schema_files, "MAX_BYTES", 99)
    file.write_bytes(b" " * 100)
    with pytest.raises(UserError, match=r"larger than .*: export the definitions without rows"):
        read_schema(file, set())


def test_events_decide_the_database_of_ambiguous_statements(tmp_path: Path) -> None:
    text = "create table t (a int, b date)"
    for family in ("oracle", "mysql", "gaussdb"):
        assert [one.family for one in schema(tmp_path, text, "s.sql", family)] == [family]
    (one,) = schema(tmp_path, f"-- source_type: ob_oracle\n{text}", "s.sql", "mysql")
    assert (one.family, one.name) == ("oracle", "T")


def test_a_file_that_the_events_database_cannot_read_is_no_other_ones(tmp_path: Path) -> None:
    text = "create table t (a varchar2(9) default q'[it's]')"
    assert [one.name for one in schema(tmp_path, text, "s.sql", "mysql", "oracle")] == ["T"]
    with pytest.raises(UserError, match=r"line 1: .* lacks its ', read as mysql: complete"):
        schema(tmp_path, text, "s.sql", "mysql")
    (one,) = schema(tmp_path, f"-- SOURCE_TYPE: Oracle\n{text}", "s.sql", "mysql")
    assert one.name == "T"
    with pytest.raises(UserError, match=r"s.sql, line 3: what begins there lacks its `, read as"):
        schema(tmp_path, "create table t (a int);\ncreate table u (\n`b", "s.sql", "mysql")


EPOCH = Values(count=2, integers=True, numbers=True, whole_digits=16)
MILLIS = Values(count=2, integers=True, numbers=True, whole_digits=13)
BASE64 = Values(count=2, base64=True)
OBJECTS = Values(count=2, objects=True)
HEX = Values(count=2, base64=True, hex=True)
TWO_DIGITS = Values(count=2, numbers=True, whole_digits=2, fraction_digits=2)


@pytest.mark.parametrize(
    ("format_id", "type_text", "family", "known", "values", "text"),
    [
        # The messages show how a value is written, the database shows its type.
        ("debezium", "int64", "mysql", "bigint unsigned", Values(), "decimal(20,0) from signed64"),
        ("debezium", "int64", "mysql", "bigint", Values(), "bigint"),
        (
            "debezium", "io.debezium.time.MicroTimestamp", "mysql", "datetime(6)", Values(),
            "timestamp_ntz from epoch_micros",
        ),
        (
            "debezium", "org.apache.kafka.connect.data.Decimal:scale=2,precision=10", "mysql",
            "decimal(10,2)", Values(), "decimal(10,2) from base64_unscaled(2)",
        ),
        (
            "debezium", "org.apache.kafka.connect.data.Decimal:scale=30,precision=65", "mysql",
            "decimal(65,30)", Values(), "string from base64_unscaled(30)",
        ),
        (
            "debezium", "org.apache.kafka.connect.data.Decimal:scale=0,precision=38", "oracle",
            "NUMBER", Values(), "decimal(38,0) from base64_unscaled(0)",
        ),
        (
            "debezium", "org.apache.kafka.connect.data.Decimal:scale=4", "sqlserver",
            "smallmoney", Values(), "decimal(10,4) from base64_unscaled(4)",
        ),
        (
            "debezium", "io.debezium.time.NanoTimestamp", "sqlserver", "datetime2(7)", Values(),
            "string from epoch_nanos",
        ),
        # without the schema part
        ("debezium", None, "mysql", "datetime(6)", EPOCH, "timestamp_ntz from epoch_micros"),
        ("debezium", None, "mysql", "datetime(6)", MILLIS, "timestamp_ntz from epoch_millis"),
        ("debezium", None, "mysql", "datetime(3)", MILLIS, "timestamp_ntz from epoch_millis"),
        ("debezium", None, "mysql", "decimal(9,2)", BASE64, "decimal(9,2) from base64_unscaled(2)"),
        ("debezium", None, "mysql", "decimal(9,2)", TWO_DIGITS, "decimal(9,2)"),
        ("debezium", None, "mysql", "decimal(9,2)", Values(), "decimal(9,2)"),
        ("debezium", None, "mysql", "bigint unsigned", BASE64, "decimal(20,0) from base64_unscaled(0)"),
        ("debezium", None, "mysql", "bigint unsigned", MILLIS, "decimal(20,0) from signed64"),
        ("debezium", None, "mysql", "blob", BASE64, "binary from base64"),
        ("debezium", None, "postgresql", "bytea", HEX, "binary from hex"),
        ("debezium", None, "postgresql", "numeric", OBJECTS, "string from base64_struct"),
        ("debezium", None, "postgresql", "numeric", TWO_DIGITS, "decimal(38,2)"),
        ("debezium", None, "postgresql", "bit(1)", Values(count=2, booleans=True), "boolean"),
        (
            "debezium", None, "postgresql", "timestamp(3) without time zone", MILLIS,
            "timestamp_ntz from epoch_millis",
        ),
        # dialects with less detail than the database
        ("dataworks_streamx", "DATE", "mysql", "date", Values(), "date from epoch_millis_nanos"),
        ("dataworks_streamx", "DATE", "mysql", "timestamp", Values(), "timestamp from epoch_millis_nanos"),
        ("dataworks_streamx", "DOUBLE", "mysql", "decimal(20,4)", Values(), "decimal(20,4)"),
        ("dataworks_streamx", "LONG", "mysql", "int unsigned", Values(), "bigint"),
        # The dialect does not say how it writes them.
        ("dataworks_streamx", "BYTES", "mysql", "bit(8)", Values(), "binary from base64"),
        ("cloudcanal_json", "timestamp", "mysql", "timestamp(3)", Values(), "timestamp"),
        # a number, or a label that looks like one
        ("cloudcanal_json", "enum", "mysql", "enum('2','1')", Values(), "string"),
        ("oceanbase_default", None, "mysql", "timestamp(6)", Values(), "timestamp from epoch_seconds"),
        ("ogg_json", None, "oracle", "number(12,2)", Values(), "decimal(12,2)"),
        ("ogg_json", None, "oracle", "date", Values(), "timestamp_ntz"),
        ("ogg_json", None, "oracle", "timestamp(6)", Values(), "timestamp_ntz"),
        ("ogg_json", None, "oracle", "timestamp(9)", Values(), "string"),
        ("ogg_json", None, "oracle", "timestamp(6) with time zone", Values(), "timestamp"),
        # GoldenGate always writes nine digits
        (
            "ogg_json", None, "oracle", "timestamp(6) with time zone",
            Values(count=2, instants=True, fraction_digits=9), "timestamp",
        ),
        (
            "ogg_json", None, "oracle", "timestamp with time zone",
            Values(count=2, fraction_digits=9), "string",
        ),
        ("ogg_json", None, "oracle", "interval day(2) to second(6)", Values(), "string"),
        ("ogg_json", None, "oracle", "raw(16)", Values(), "binary from base64"),
        ("ogg_json", None, "oracle", "blob", Values(), "binary from base64"),
        ("ogg_json", None, "sqlserver", "rowversion", Values(), "binary from base64"),
        ("oceanbase_default", None, "oracle", "RAW(16)", Values(), "binary from base64"),
        ("oceanbase_shareplex", None, "mysql", "bit(8)", Values(), "decimal(20,0) from big_endian_bits"),
        ("ticdc", None, "mysql", "varbinary(9)", Values(), "binary from base64"),
        ("ticdc", "varbinary", "mysql", "varbinary(9)", Values(), "binary from latin1"),
        ("ticdc", "blob character set binary", "mysql", "blob", Values(), "binary from base64"),
        ("ticdc", "enum", "mysql", "enum('a')", Values(), "string from enum('a')"),
        ("ticdc", "timestamp", "mysql", "timestamp(6)", Values(), "timestamp from located"),
        ("maxwell", None, "mysql", "binary(4)", Values(), "binary from base64(4)"),
        ("maxwell", None, "mysql", "set('a','b')", Values(), "string from json_list"),
        ("maxwell", None, "mysql", "point", Values(), "string"),
        ("maxwell", None, "mysql", "timestamp(6)", Values(), "timestamp"),
        ("maxwell", None, "mysql", "bit(1)", Values(count=2, integers=True), "boolean"),
        ("ckafka_format_one", None, "mysql", "varbinary(9)", Values(), "binary from base64"),
        ("ckafka_format_one", None, "mysql", "datetime(6)", Values(), "timestamp_ntz"),
        ("canal", "enum", "mysql", "enum('a','it''s')", Values(), "string from enum('a','it''s')"),
        ("canal", "binary", "mysql", "binary(4)", Values(), "binary from latin1(4)"),
        ("dms_json", None, "mysql", "varbinary(9)", Values(), "binary from hex"),
        ("dms_json", None, "mysql", "bit(8)", Values(), "binary from hex"),
        ("dms_json", None, "mysql", "bit(1)", Values(), "boolean"),
        ("dms_json", None, "postgresql", "bytea", Values(), "binary from hex"),
        # DMS has types of the same names.
        ("dms_json", None, "mysql", "datetime(6)", Values(), "timestamp_ntz"),
        ("debezium", None, "postgresql", "money", BASE64, "decimal(19,2) from base64_unscaled(2)"),
        ("debezium", None, "postgresql", "money", TWO_DIGITS, "decimal(19,2)"),
        ("debezium", None, "sqlserver", "time(0)", Values(2, letters=True), "string from time"),
        ("debezium", None, "mysql", "time", Values(2, letters=True), "string from time"),
        ("dms_json", None, "mysql", "boolean", Values(), "tinyint"),
        ("dms_json", None, "postgresql", "timestamp(6) without time zone", Values(), "timestamp_ntz"),
        ("dms_json", None, "oracle", "TIMESTAMP(6)", Values(), "timestamp_ntz"),
        ("dms_json", None, "oracle", "DATE", Values(2, instants=True), "timestamp_ntz"),
        ("dms_json", None, "sqlserver", "datetime", Values(), "timestamp_ntz"),
        ("dms_json", None, "sqlserver", "timestamp", Values(), "binary from hex"),
        ("dms_json", "DATETIME(6)", "mysql", "datetime(6)", Values(), "timestamp_ntz"),
        ("dms_json", "BYTES(16)", "sqlserver", "varbinary(16)", Values(), "binary from hex"),
        ("dms_json", "BYTES(1)", "mysql", "bit(8)", Values(), "binary from hex"),
        # The database has types that the seed does not know.
        ("canal", "int(11)", "mysql", "mytype", Values(), "int"),
        ("ckafka_format_one", None, "mysql", "mytype", Values(), "string"),
    ],
)  # fmt: skip
def test_declares_what_the_database_has(
    format_id: str, type_text: str | None, family: str, known: str, values: Values, text: str
) -> None:
    assert declare_known(format_id, family, type_text, family, known, values).text == text


def table(
    columns: list[SourceColumn], format_id: str = "canal", name: str = "orders"
) -> SourceTable:
    return SourceTable("shop", format_id, "mysql", "shop", None, name, columns, None)


def test_messages_that_exceed_the_file(tmp_path: Path) -> None:
    text = "create table `orders` (`id` int, `n` int, `f` float, `d` datetime, `old` int)"
    columns = [
        SourceColumn("id", "bigint(20)", True),
        SourceColumn("n", None, False, Values(2, True, True, whole_digits=12)),
        SourceColumn("f", "double", False),
        SourceColumn("d", None, False, MILLIS),
        SourceColumn("new", "int", False),
    ]
    one = table(columns)
    take_schema([one], schema(tmp_path, text))
    assert [one.declaration(column).text for column in columns] == [
        "bigint", "bigint from exact", "double", "bigint from exact", "int",
    ]  # fmt: skip
    assert remarks_on(one) == [
        "id: int in the schema file, the type bigint(20) in the messages",
        "n: int in the schema file, values that this does not hold in the messages",
        "f: float in the schema file, the type double in the messages",
        "d: datetime in the schema file, values that this does not hold in the messages",
        "declared as the messages have it: the file may be older than they are",
        "in the schema file alone, and left out: old",
        "in the messages alone: new",
    ]


def test_the_table_of_the_file(tmp_path: Path) -> None:
    text = (
        "create table `Shop`.`Orders` (`ID` int primary key); create table b.orders (a int);"
        " create table lines (`a` int)"
    )
    known = schema(tmp_path, text, "s.sql", "mysql")
    orders, lines, more = (
        table([SourceColumn("id", None, False)]),
        table([], name="lines"),
        table([], name="more"),
    )
    take_schema([orders, lines, more], known)
    assert [one.known and one.known.whole_name for one in (orders, lines, more)] == [
        "Shop.Orders", "lines", None,
    ]  # fmt: skip
    assert (orders.key, lines.key, more.key) == (["id"], [], None)
    text = "create table a.Orders (x int); create table `a`.`ORDERS` (x int)"
    twice = schema(tmp_path, text)
    with pytest.raises(UserError, match=r"orders can be a.Orders and a.ORDERS"):
        take_schema([SourceTable("f", "canal", "", None, None, "orders", [], None)], twice)


def test_a_key_that_the_messages_lack_is_none(tmp_path: Path) -> None:
    one = table([SourceColumn("a", None, False)])
    one.key = ["a"]
    take_schema(
        [one], schema(tmp_path, "create table `orders` (`a` int, `b` int, primary key (b))")
    )
    assert one.key == ["a"]


def test_shards_have_the_key_of_the_file(tmp_path: Path) -> None:
    known = schema(tmp_path, "create table `shop`.`orders` (`id` int unsigned, primary key (`id`))")
    parts = [table([SourceColumn("id", None, False)], name=f"orders_{number}") for number in (1, 2)]
    take_schema(parts, known)
    one = join_shards(parts, "shop.orders", r"shop\.orders_\d")
    take_schema([one], known)
    assert one.key == ["shard", "id"]
    assert [one.declaration(column).text for column in one.columns] == ["string", "bigint"]


def test_a_model_keeps_what_a_file_has_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "REPO", Path(__file__).resolve().parents[2])
    seen = Values(2, True, True, whole_digits=3)
    known = schema(tmp_path, MYSQL)
    one = table([SourceColumn("id", None, False, seen), SourceColumn("Total", None, False, seen)],
                "ckafka_format_one")  # fmt: skip
    take_schema([one], known)
    one.key = ["id"]
    written = write_table(one, tmp_path)
    model = tmp_path / "shop__orders.sql"
    assert declared(model).get("columns") == {"id": "decimal(20,0)", "Total": "decimal(10,2)"}
    yml = model.with_suffix(".yml").read_text()
    (described,) = yaml.safe_load(yml)["models"]
    assert described["description"].startswith("orders, as they come ")
    assert described["columns"][:2] == [
        {"name": "id", "description": "it's the number"},
        # dbt renders this text.
        {"name": "Total", "description": "{{ 'in {{ euros }}, net' }}"},
    ]
    assert described["columns"][2]["name"] == "_undecodable"
    assert set(written.files.values()) == {"written"}
    # The next time there is no file, but one more column.
    later = table([*(SourceColumn(name, None, False, seen) for name in ("id", "Total", "new"))],
                  "ckafka_format_one")  # fmt: skip
    later.key = ["id"]
    written = write_table(later, tmp_path)
    assert declared(model).get("columns") == {
        "id": "decimal(20,0)", "Total": "decimal(10,2)", "new": "bigint from exact",
    }  # fmt: skip
    assert model.with_suffix(".yml").read_text() == yml
    assert written.files == {model: "updated"}
    assert write_table(later, tmp_path).files == {model: "unchanged"}
    # The time after that there is a file again.
    take_schema([later], known)
    later.key = ["id"]
    assert write_table(later, tmp_path).files[model] == "unchanged"


def test_a_renamed_column_is_described_by_its_name_in_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "REPO", Path(__file__).resolve().parents[2])
    current, histories = tmp_path / "current", tmp_path / "history"
    one = table([SourceColumn(name, "int", name == "id") for name in ("id", "a")])
    write_table(one, current)
    renamed = table([SourceColumn(name, "int", name == "id") for name in ("id", "a", "b")])
    renamed.alters = [[Alter("t", 0, 0, 0, "alter table orders rename column a to b", 1, None)]]
    follow_source(renamed, current / "shop__orders.sql", can_change=True)
    take_schema(
        [renamed],
        schema(
            tmp_path, "create table `orders` (`id` int primary key, `b` int comment 'a number')"
        ),
    )
    for _ in range(2):
        written = write_table(renamed, current)
        write_history(renamed, histories, current)
        assert not [one for one in written.remarks if "is named" in one]
    for file in (current / "shop__orders.yml", histories / "shop__orders__history.yml"):
        (described,) = yaml.safe_load(file.read_text())["models"]
        assert described["columns"][0] == {"name": "a", "description": "a number"}


@pytest.mark.parametrize(
    ("text", "family", "keys"),
    [
        # sqlplus ends statements with a slash; dbms_metadata, by default, with nothing.
        (
            'CREATE TABLE "S"."T" ("ID" NUMBER, "V" NUMBER)\n/\n'
            'ALTER TABLE "S"."T" ADD CONSTRAINT "P" PRIMARY KEY ("ID")\n/\n'
            "COMMENT ON COLUMN \"S\".\"T\".\"ID\" IS 'x'\n/\n",
            "oracle",
            {"S.T": ["ID"]},
        ),
        (
            'CREATE TABLE "S"."T" ("ID" NUMBER)\n CREATE TABLE "S"."U" ("X" NUMBER)\n'
            ' ALTER TABLE "S"."T" ADD PRIMARY KEY ("ID") ALTER TABLE "S"."U" ADD PRIMARY KEY ("X")',
            "oracle",
            {"S.T": ["ID"], "S.U": ["X"]},
        ),
        (
            "USE [Shop]\nGO\nCREATE TABLE [dbo].[A] ([Id] int, INDEX [ix] ([Id]))\n"
            "ALTER TABLE dbo.a ADD CONSTRAINT [pk] PRIMARY KEY NONCLUSTERED ([Id])\nGO\n"
            "USE [Other]\nGO\nCREATE TABLE [dbo].[A] ([Id] int)\n",
            "sqlserver",
            {"Shop.dbo.A": ["Id"], "Other.dbo.A": []},
        ),
        (
            "-- Host: localhost    Database: shop\ncreate table `t` (`a` int, `b` int unique key);\n"
            "alter table t add primary key (a);\ncreate table u (a int key);",
            "mysql",
            {"shop.t": ["a"], "shop.u": ["a"]},
        ),
        # An unusual statement does not hide the others.
        (
            "create table Shop..t (a int);\ncreate table `u` (`a` int primary key);",
            "mysql",
            {"u": ["a"]},
        ),
        (
            "set search_path = shop, pg_catalog;\ncreate table t (id int);\n"
            "create function f() set search_path to 'x' as 'y';\n"
            "set search_path to 'Other';\ncreate table t (id int);\n"
            "set search_path = shop;\nalter table only t add primary key (id);\n"
            "set search_path to default;\ncreate table t (id int);\n"
            "set search_path = '';\ncreate table u (id int);",
            "gaussdb",
            {"shop.t": ["id"], "Other.t": [], "t": [], "u": []},
        ),
        ("\\connect shop\ncreate table public.t (id int primary key);", "postgresql",
         {"shop.public.t": ["id"]}),
    ],
)  # fmt: skip
def test_keys_and_names_wherever_they_stand(
    tmp_path: Path, text: str, family: str, keys: dict[str, list[str]]
) -> None:
    tables = schema(tmp_path, text, "s.sql", family)
    assert {one.whole_name: one.key for one in tables} == keys


def test_columns_of_another_table(tmp_path: Path) -> None:
    text = """
create table public.a (id integer primary key, n numeric(9,2));
create table public.b (at date, n numeric(12,2)) inherits (public.a);
alter table only public.b add constraint b_pkey primary key (id, at);
create table public.c (like public.a including all, t text);
create table public.d (t text, like public.a, primary key (t));
create table public.e (t text) inherits (public.unknown) tablespace x;
"""
    _, b, c, d, e = schema(tmp_path, text, "s.sql", "postgresql")
    assert (types(b), b.key) == (
        {"id": "integer", "n": "numeric(12,2)", "at": "date"},
        ["id", "at"],
    )
    assert (types(c), c.key) == ({"id": "integer", "n": "numeric(9,2)", "t": "text"}, ["id"])
    assert (types(d), d.key) == ({"t": "text", "id": "integer", "n": "numeric(9,2)"}, ["t"])
    assert types(e) == {"t": "text"}


def test_rows_of_a_dump_are_passed_over(tmp_path: Path) -> None:
    postgresql = """
create table public.a (id integer);
COPY public.a (id, "v w") FROM stdin;
1\tit's (
\\.
INSERT INTO public.a VALUES (1, 'C:\\', E'it\\'s;
create table public.c (id integer);');
alter table only public.a add primary key (id);
create table public.b (id integer);
"""
    a, b = schema(tmp_path, postgresql, "s.sql", "postgresql")
    assert (a.whole_name, a.key, b.whole_name) == ("public.a", ["id"], "public.b")
    rows = "(1,'it\\'s ; \\\\',\"'\",'create table `c` (`a` int);'),\n" * 300_000
    mysql = f"create table `a` (`id` int);\nINSERT INTO `a` VALUES\n{rows}(2,'');\n"
    tables = schema(tmp_path, f"{mysql}create table `b` (`id` int);", "s.sql", "mysql")
    assert [one.name for one in tables] == ["a", "b"]


@pytest.mark.parametrize(
    ("family", "text"),
    [
        ("mysql", "INSERT INTO x VALUES\n(1), -- don't\n(2); # it's\ncreate table a (b int);"),
        ("mysql", "/* once:\nINSERT INTO x VALUES (1)\n*/\ncreate table a (b int);"),
        ("mysql", "create table a (b int comment 'see\nINSERT INTO x');"),
        ("postgresql", "INSERT INTO x VALUES ($$it's; $$); /* it's */\ncreate table a (b int);"),
        ("postgresql", "insert into x values\n(1), -- don't\n(2);\ncreate table a (b int);"),
        ("postgresql", "do $f$ begin\nINSERT INTO x\nend $f$;\ncreate table a (b int);"),
    ],
)
def test_rows_end_where_their_statement_does(tmp_path: Path, family: str, text: str) -> None:
    following = f"{text}\ncreate table c (d varchar(9) default 'it');"
    a, c = schema(tmp_path, following, "s.sql", family)
    assert (a.name, list(types(a)), c.name, list(types(c))) == ("a", ["b"], "c", ["d"])


def test_statements_in_one_line(tmp_path: Path) -> None:
    lines = (
        "Table\tCreate Table\n"
        "a\tCREATE TABLE `a` (\\n  `id` int COMMENT 'a\\\\\\\\b',\\n  PRIMARY KEY (`id`)\\n)\n"
        "b\tCREATE TABLE `b` (\\n  `id` int\\n) COMMENT='of b'\n"
    )
    a, b = schema(tmp_path, lines, "s.sql", "mysql")
    assert (a.name, a.key, comments(a)) == ("a", ["id"], {"id": "a\\b"})
    assert (b.name, b.comment) == ("b", "of b")


def test_arrays_of_postgresql_are_no_names_of_sql_server(tmp_path: Path) -> None:
    text = "create table public.t (id integer, tags text[], b bit(1), m money)"
    (one,) = schema(tmp_path, text, "s.sql", "postgresql")
    assert types(one)["tags"] == "text[]"


def test_what_clients_write_of_a_catalog(tmp_path: Path) -> None:
    text = (
        "source_type\ttable_name\tcolumn_name\tcolumn_type\tkey_position\tcomment\n"
        "mysql\tt\tid\tint\t1\tNULL\nmysql\tt\tv\tdecimal(10,2)\tNULL\tit, too\n"
    )
    (one,) = schema(tmp_path, text, "s.CSV")
    assert (one.key, comments(one)) == (["id"], {"v": "it, too"})
    odd = "source_type,table_name,column_name,column_type,comment,table_comment\n"
    odd += "mysql,t,NULL,int,a\u2028b\x85c,of the table\nmysql,t,v,int,,\n"
    (other,) = schema(tmp_path, odd, "s.csv")
    assert [column.name for column in other.columns] == ["NULL", "v"]
    assert (comments(other), other.comment) == ({"NULL": "a\u2028b\x85c"}, "of the table")
    spaced = 'source_type, table_name, column_name, column_type\nmysql , t, a, "decimal(9, 2)"\n'
    (spaces,) = schema(tmp_path, spaced, "s.csv")
    assert (spaces.family, spaces.name, types(spaces)) == ("mysql", "t", {"a": "decimal(9, 2)"})
    (quotes,) = schema(tmp_path, f'{text}mysql\tt\tx\tint\tNULL\t"so" named\n', "s.csv")
    assert comments(quotes)["x"] == "so named"
    twice = f"{text}mysql\tt\tid\tint\t1\tNULL\n"
    with pytest.raises(UserError, match=r"line 4: t has 'id' twice"):
        schema(tmp_path, twice, "s.csv")
    with pytest.raises(UserError, match=r"is there twice"):
        schema(tmp_path, text.replace("10,2)\tNULL", "10,2)\t1"), "s.csv")
    with pytest.raises(UserError, match=r"--schema .* field larger than field limit"):
        schema(tmp_path, f'{text}mysql\tt\tx\tint\t\t"{"x" * 200_000}', "s.csv")


def test_a_table_without_a_database_is_one_of_them(tmp_path: Path) -> None:
    known = schema(tmp_path, "create table `orders` (`id` int primary key)")
    two = [table([]), table([])]
    two[1].database = "archive"
    with pytest.raises(UserError, match=r"orders can be shop.orders and archive.orders"):
        take_schema(two, known)


def test_a_file_without_any_key_says_nothing_of_keys(tmp_path: Path) -> None:
    one = table([SourceColumn("id", None, False)])
    take_schema([one], schema(tmp_path, "create table `orders` (`id` int)"))
    assert one.key is None


@pytest.mark.parametrize(
    ("known", "said", "text"),
    [
        ("float", "double", "double"),
        ("date", "datetime(6)", "timestamp_ntz"),
        ("int", "varchar(20)", "string"),
        ("datetime", "timestamp", "timestamp"),
        ("bigint", "int(11)", "bigint"),
        ("varchar(20)", "varchar(30)", "string"),
    ],
)
def test_messages_win_over_an_older_file(tmp_path: Path, known: str, said: str, text: str) -> None:
    column = SourceColumn("x", said, False)
    one = table([column])
    take_schema([one], schema(tmp_path, f"create table `orders` (`x` {known})"))
    assert one.declaration(column).text == text
    assert bool(one.disagreement(column)) == (text not in ("bigint", "string") or known == "int")


def test_names_that_columns_have_had() -> None:
    def renamed(*statements: str) -> dict[str, list[str]]:
        return TableDdl([f"alter table t {one}" for one in statements], "mysql").renamed

    assert renamed("rename column a to b", "change b c int") == {"a": ["c", "b"]}
    assert renamed("rename column a to b", "rename column b to a") == {"a": ["a", "b"]}
    # A name that was dropped and comes back belongs to another column.
    assert renamed("rename column a to b", "drop column b", "add b int, add a int") == {}
    assert renamed("rename column x to y", "drop y", "rename column z to y") == {"z": ["y"]}
    # This name was another column's for a while.
    said = renamed("rename column x to y", "rename column y to z", "rename column w to y")
    assert said == {"x": ["z"], "w": ["y"]}
    assert renamed("change v V int", "this is none (") == {"v": ["V"]}
    # The clauses of a statement use the names from before the statement.
    said = renamed("rename column a to b, rename column b to a")
    assert said == {"a": ["b"], "b": ["a"]}
    # These drop an index or a constraint with the column's name.
    for other in ("key b", "index b", "foreign key b", "constraint b", "check b", "primary key"):
        assert renamed("change a b int", f"drop {other}") == {"a": ["b"]}


@pytest.mark.parametrize(
    "statement",
    [
        "alter table t change a b geometry srid 4326 not null",
        "alter table t change a b national varchar(10) default 'x, y' comment 'change b c int'",
        "alter table t change a b int, convert to character set utf8mb4",
        "alter table t add (d int, e int), change a b point after d",
        "alter table t rename column a to b, add check (b > 0)",
        "alter ignore table t change if exists a b int",
        "alter online table `d`.`t` wait 5 change column `a` `b` int first",
        "/*!50600 alter */ table t /*!50600 change a b int default '/*!' */",
        'alter table "t" change "a" "b" varchar(9) default "c"',
        "alter table t add d int generated always as (a + 1), rename column a to b, rename to u",
        "alter table t engine = innodb, rename column a to b; alter table u rename column c to d",
    ],
)
def test_renames_beside_whatever_mysql_takes(statement: str) -> None:
    assert TableDdl([statement], "mysql").renamed == {"a": ["b"]}


def test_renames_of_other_databases() -> None:
    for family, statement, found in (
        ("postgresql", 'alter table only s.t rename a to "B"', {"a": ["B"]}),
        ("postgresql", "alter table t rename to u", {}),
        # It is not an index there.
        ("postgresql", "alter table t rename key to k", {"key": ["k"]}),
        ("postgresql", "alter table t rename constraint a to b", {}),
        ("oracle", "ALTER TABLE s.t ADD (d NUMBER) RENAME COLUMN a TO b", {"A": ["B"]}),
        ("", "alter table t change a b int", {"a": ["b"]}),
    ):
        assert TableDdl([statement], family).renamed == found
    oracle = TableDdl(["alter table t modify (a number(9,2), b varchar2(9))"], "oracle")
    assert oracle.altered_types == {"A": "number(9,2)", "B": "varchar2(9)"}
    pg = "alter table t alter column a set data type numeric(9,2) using a::numeric, alter b drop not null"
    assert TableDdl([pg], "postgresql").altered_types == {"a": "numeric(9,2)"}
    sqlserver = TableDdl(["alter table t alter column a varchar(9)"], "sqlserver")
    assert sqlserver.altered_types == {"a": "varchar(9)"}


def test_columns_that_a_statement_drops_together() -> None:
    for family, statement, dropped in (
        ("sqlserver", "alter table t drop column a, b, column c, constraint d", {"a", "b", "c"}),
        ("oracle", "alter table t set unused (a, b)", {"A", "B"}),
        ("oracle", "alter table t set unused column a cascade constraints", {"A"}),
        ("oracle", "alter table t drop unused columns", set()),
        ("mysql", "alter table t drop unused", {"unused"}),
    ):
        assert TableDdl([statement], family).dropped == dropped
    # SQL Server adds columns without parentheses, with whatever is behind each type
    dropped = "alter table t drop column a, b"
    added = "alter table t add a int null, b varchar(9) not null default ('x, y')"
    assert TableDdl([dropped, added], "sqlserver").dropped == set()


def test_names_that_another_column_had() -> None:
    def reused(*statements: str, before: int = 0) -> list[str]:
        ddl = TableDdl([f"alter table t {one}" for one in statements], "mysql")
        return sorted(set[str]().union(*ddl.reused[before:]))

    assert reused("rename column a to x", "rename column b to a", "rename column x to b") == [
        "a",
        "b",
    ]
    assert reused("drop c, add c int") == ["c"]
    assert reused("drop column c", "add c int", before=1) == ["c"]
    assert reused("drop column c", "add c int", before=2) == []
    assert reused("rename column c to d, add c int") == ["c"]
    # the same column, which gets its name back
    assert reused("add f int", "rename column f to g", "change g f int") == []
    assert reused("change a b int", "drop index b", "drop d", "add e int", "modify e bigint") == []


DECLARED: Columns = {
    "n": "bigint", "d": "decimal(9,2)", "k": "string from enum('a')", "t": "timestamp",
}  # fmt: skip


def test_what_an_earlier_version_declared_stays() -> None:
    for had, type_text in (
        ("string", "array<int32>"),
        ("binary from base64", "bytes text"),
        ("array<binary> from base64", "array<bytes text>"),
        ("binary from base64", "bytes hierarchyid"),
    ):
        column = SourceColumn("v", type_text, False, has_changed=True)
        one = SourceTable("f", "debezium", "postgresql", "d", "s", "t", [column], [])
        meta: TableMeta = {"feeds": ["f"], "columns": {"v": had}, "evolve": "add", "key": []}
        assert changes_of(one, meta, can_widen=True) == []


def test_a_type_that_comes_with_another_name() -> None:
    columns = [SourceColumn("v", "int", False), SourceColumn("w", "varchar(9)", False)]
    meta: TableMeta = {
        "feeds": ["shop"], "columns": {"v": {"type": "int", "source": ["w", "v"]}},
        "evolve": "add", "key": [],
    }  # fmt: skip
    one = table(columns)
    one.key = []
    assert changes_of(one, meta, can_widen=True) == [Change("wider", "w", "string")]


NUMBERS = Values(2, numbers=True, whole_digits=3, fraction_digits=4)


@pytest.mark.parametrize(
    ("declared", "type_text", "values", "change"),
    [
        ("bigint from exact", None, NUMBERS, ("wider", "decimal(38,4) from exact")),
        ("bigint from exact", None, Values(2, letters=True), ("wider", "string")),
        ("decimal(38,2) from exact", None, NUMBERS, ("wider", "decimal(38,4) from exact")),
        ("date", None, Values(2, datetimes=True), ("wider", "timestamp_ntz")),
        ("date", None, Values(2, dates=True, datetimes=True), ("undecodable", "")),
        ("timestamp_ntz", None, Values(2, letters=True), ("outgrown", "string")),
        ("timestamp from epoch_seconds", None, NUMBERS, ("outgrown", "decimal(38,4) from exact")),
        ("decimal(38,2)", "numeric", NUMBERS, ("wider", "decimal(38,4)")),
        # A declaration is not narrowed to a type in the messages, whatever the values are.
        ("decimal(38,2)", "decimal(9,4)", NUMBERS, ("undecodable", "")),
        ("decimal(38,2)", "int", NUMBERS, ("undecodable", "")),
    ],
)
def test_what_becomes_of_a_guess_that_does_not_hold_a_value(
    declared: str, type_text: str | None, values: Values, change: tuple[Kind, str]
) -> None:
    columns = [SourceColumn("v", type_text, False, values)]
    one = SourceTable("shop", "dts_avro", "postgresql", "d", "s", "t", columns, [])
    meta: TableMeta = {"feeds": ["shop"], "columns": {"v": declared}, "evolve": "add", "key": []}
    due = {"v": Change(change[0], "v", change[1])}
    assert changes_by_values([one], meta, ["v"], can_widen=True) == due
    assert guessed_columns(one, meta) == ["v"]


@pytest.mark.parametrize("key", [None, ["v"]])
def test_two_keys_of_a_guessed_type_do_not_become_one(key: list[str] | None) -> None:
    """As texts, `1.10` and `1.1` differ, whether the key is the messages' or a person's."""
    one = SourceTable(
        "shop", "maxwell", "mysql", "d", None, "t", [SourceColumn("v", None, False, NUMBERS)], key
    )
    meta: TableMeta = {
        "feeds": ["shop"], "columns": {"c": {"type": "bigint from exact", "source": "v"}},
        "evolve": "add", "key": ["v"],
    }  # fmt: skip
    due = {"c": Change("wider", "v", "string")}
    assert changes_by_values([one], meta, ["c"], can_widen=True) == due
    declared = "string" if key else "decimal(38,4) from exact"
    assert one.declaration(one.columns[0]).text == declared


def test_a_dropped_column_of_a_table_without_a_key_is_asked_for() -> None:
    columns = [SourceColumn("n", "bigint", False), SourceColumn("d", "int", False, is_dropped=True)]
    one = table(columns)
    meta: TableMeta = {"feeds": ["shop"], "columns": DECLARED, "evolve": "add", "key": []}
    one.key = []
    assert changes_of(one, meta, can_widen=True) == [Change("unmatched", "d", "")]
    meta["key"] = one.key = ["n"]
    assert changes_of(one, meta, can_widen=True) == [Change("dropped", "d", "")]


@pytest.mark.parametrize(
    ("name", "type_text", "has_changed", "change"),
    [
        ("n", "bigint(20)", True, None),
        # The declaration is a person's or from a schema file.
        ("n", "varchar(20)", False, None),
        ("n", "varchar(20)", True, ("wider", "string")),
        ("n", "int(11)", True, None),
        ("n", "double", True, ("unfit", "double")),
        ("n", "datetime", True, ("unfit", "timestamp_ntz")),
        ("d", "decimal(9,4)", True, ("wider", "decimal(11,4)")),
        ("d", "decimal(38,10)", True, ("wider", "decimal(38,10)")),
        ("d", "decimal(38,1)", True, ("unfit", "decimal(38,1)")),
        ("k", "enum('b','a')", True, None),
        ("k", "enum", True, None),
        # `1` would be read as the first label.
        ("k", "varchar(9)", True, ("unfit", "string")),
        ("t", "datetime(6)", True, ("unfit", "timestamp_ntz")),
        ("new", "int", False, ("new", "")),
    ],
)
def test_what_a_source_has_changed(
    name: str, type_text: str, has_changed: bool, change: tuple[Kind, str] | None
) -> None:
    columns = [SourceColumn(name, type_text, False, has_changed=has_changed)]
    meta: TableMeta = {"feeds": ["shop"], "columns": DECLARED, "evolve": "add", "key": ["n"]}
    one = table(columns)
    one.key = ["n"]
    due = [] if change is None else [Change(change[0], name, change[1])]
    assert changes_of(one, meta, can_widen=True) == due
    one.key = [name]
    other = [Change("key", "", name)] if name != "n" else []
    assert changes_of(one, meta, can_widen=True) == due + other
