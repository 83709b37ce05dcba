"""Debezium's engine on real databases: every cell of every table arrives as it is in the database.

Each set of options has its own database or schema, where the same kinds of statements run; its name
is the prefix of the topics. What a set does not send is in `SENT`, and in
docs/formats/debezium.md.
"""

import csv
import re
from pathlib import Path

import pytest

import sent
from changelake.core.feeds import Feed
from changelake.core.settings import REPO
from pipeline import Pipeline, Sent, relation_of
from producers import debezium
from servers import MariaDb, Postgres, Start
from tables import MARKER, POSTGRESQL_TYPES, mariadb_tables, postgresql_tables
from workload import Table, Workload

pytestmark = pytest.mark.sources

Options = dict[str, dict[str, object]]
FLATTENED = {
    "transforms": "flat",
    "transforms.flat.type": "io.debezium.transforms.ExtractNewRecordState",
    "transforms.flat.delete.tombstone.handling.mode": "rewrite-with-tombstone",
}
BARE = {"key.converter.schemas.enable": "false", "value.converter.schemas.enable": "false"}
TEXTS = {
    "decimal.handling.mode": "string",
    "time.precision.mode": "isostring",
    "bigint.unsigned.handling.mode": "precise",
    "binary.handling.mode": "hex",
    "interval.handling.mode": "string",
    "hstore.handling.mode": "json",
}
EXACT_YEARS = {"enable.time.adjuster": "false"}
MARIADB: Options = {
    "m_default": {},
    "m_text": {**TEXTS, **EXACT_YEARS, "test.partitions": 3},
    "m_bare": {**TEXTS, **EXACT_YEARS, **BARE, "binary.handling.mode": "base64"},
    "m_flat": {
        **FLATTENED, **EXACT_YEARS,
        "transforms.flat.add.fields": (
            "op,source.ts_ms,source.db,source.table,source.file,source.pos,source.row"
        ),
        "bigint.unsigned.handling.mode": "precise",
        "time.precision.mode": "microseconds",
        "binary.handling.mode": "base64-url-safe",
    },
}  # fmt: skip
POSTGRESQL: Options = {
    "p_default": {},
    "p_text": {**TEXTS, "test.partitions": 3},
    "p_bare": {**TEXTS, **BARE, "binary.handling.mode": "base64"},
    "p_flat": {
        **FLATTENED,
        "transforms.flat.add.fields": (
            "op,source.ts_ms,source.db,source.schema,source.table,source.lsn"
        ),
        "hstore.handling.mode": "map",
    },
}  # fmt: skip
LARGE = ("c_large", "c_large_bytes", "c_large_list")
OF_POSTGRESQL: Sent = {
    "varbit": sent.without_zeros, "c_times": sent.in_millis, **dict.fromkeys(LARGE, sent.unknown),
}  # fmt: skip
OF_MARIADB: Sent = {"label": sent.label, "float": sent.float_of_snapshot}
SENT: dict[str, Sent] = {
    "m_default": {"unsigned64": sent.as_signed, "date": sent.adjusted_year, **OF_MARIADB},
    "m_text": {"time": sent.time_of_day, **OF_MARIADB},
    "m_bare": {"time": sent.time_of_day, **OF_MARIADB},
    "m_flat": {"binary": sent.in_url_base64, **OF_MARIADB},
    "p_default": {"c_varbit": sent.all_bits, "interval": sent.duration, **OF_POSTGRESQL},
    "p_text": {"c_varbit": sent.all_bits, "time": sent.midnight, **OF_POSTGRESQL},
    "p_bare": {
        "time": sent.midnight, **OF_POSTGRESQL,
        "c_large_bytes": sent.as_it_is_or_null,
    },
    "p_flat": {
        **OF_POSTGRESQL, "interval": sent.duration,
        "bitstring": sent.bit_number, "varbit": sent.bit_number,
    },
}  # fmt: skip
STAGES = (40, 120)
# Without a schema part, a feed is onboarded with a file that the guide's query gets at the source.
GUIDE = REPO / "docs" / "guides" / "tables.md"


def query_of(database: str, schema: str) -> str:
    """Return the guide's query of a database's catalog, for one schema."""
    text = GUIDE.read_text(encoding="utf-8")
    (query,) = [
        one for one in re.findall(r"```sql\n(.*?)```", text, re.S) if f"'{database}'" in one
    ]
    return re.sub(r"in \('\w+'\)", f"in ('{schema}')", query)


def test_mariadb(start: Start, pipeline: Pipeline, source_jars: Path, tmp_path: Path) -> None:
    server = start(MariaDb)
    loads = {
        name: Workload(mariadb_tables(), server.quoted, "where {where} limit 1", seed)
        for seed, name in enumerate(MARIADB)
    }
    for name, load in loads.items():
        server.sql(f"create database {name}")
        server.sql(load.create() + load.fill() + load.mark(), name)
    connectors = {
        name: {
            "connector.class": "io.debezium.connector.mariadb.MariaDbConnector",
            "database.hostname": "127.0.0.1",
            "database.port": server.port,
            "database.user": "root",
            "database.server.id": 100 + number,
            "database.include.list": name,
            # Without it, the snapshot of a YEAR 0000 fails.
            "driver.yearIsDateType": "false",
            **options,
        }
        for number, (name, options) in enumerate(MARIADB.items())
    }
    rows = server.sql(query_of("mysql", "m_bare")).splitlines()
    header = (
        "source_type", "database_name", "table_name", "column_name", "column_type", "key_position",
        "comment", "table_comment",
    )  # fmt: skip
    schema = tmp_path / "schema.csv"
    with schema.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *(row.split("\t") for row in rows)])
    check(server, loads, connectors, pipeline, source_jars, tmp_path, {"m_bare": schema})


def test_postgresql(start: Start, pipeline: Pipeline, source_jars: Path, tmp_path: Path) -> None:
    server = start(Postgres)
    server.sql(POSTGRESQL_TYPES)
    one_row = "where ctid = (select ctid from {table} where {where} limit 1)"
    loads = {
        name: Workload(postgresql_tables(), server.quoted, one_row, seed)
        for seed, name in enumerate(POSTGRESQL, start=50)
    }
    # Large values are stored out of line and uncompressed, so that unchanged ones are not sent. A
    # table without a key must log whole rows.
    storage = ", ".join(
        f"alter column {column} set storage external" for column in (*LARGE, "c_text")
    )
    alter = f"alter table everything {storage};\nalter table log replica identity full;\n"
    for name, load in loads.items():
        server.sql(f"create schema {name}")
        server.sql(load.create() + alter + load.fill() + load.mark(), name)
    connectors = {
        name: {
            "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
            "database.hostname": "127.0.0.1",
            "database.port": server.port,
            "database.user": "postgres",
            "database.dbname": "postgres",
            "plugin.name": "pgoutput",
            "slot.name": name,
            "publication.name": name,
            "publication.autocreate.mode": "filtered",
            "schema.include.list": name,
            **options,
        }
        for name, options in POSTGRESQL.items()
    }
    schema = tmp_path / "schema.csv"
    query = query_of("postgresql", "p_bare")
    schema.write_text(server.sql(f"copy ({query}) to stdout with (format csv, header)"))
    schemas = {"p_bare": schema}
    check(server, loads, connectors, pipeline, source_jars, tmp_path, schemas, ("postgres",))


def check(
    server: MariaDb | Postgres,
    loads: dict[str, Workload],
    connectors: Options,
    pipeline: Pipeline,
    source_jars: Path,
    directory: Path,
    schemas: dict[str, Path],
    prefix: tuple[str, ...] = (),
) -> None:
    """Run the workloads in stages, build after each, and compare with the database."""
    feeds = [Feed(name, "debezium", topic_pattern=rf"{name}(\..*)?") for name in loads]
    topics = [f"{name}.{name}.marker" for name in loads]
    producer = debezium(source_jars, pipeline.broker, directory, connectors)
    differences = []
    try:
        producer.wait_for(pipeline.broker, topics, '"id":1')
        for stage, steps in enumerate(STAGES, start=2):
            for name, load in loads.items():
                # Messages without types do not show that a column is wider.
                changes = load.alter(server.new_type, "_bare" not in name) if stage == 3 else ""
                server.sql(changes + load.steps(steps) + load.mark(), name)
            producer.wait_for(pipeline.broker, topics, f'"id":{stage}')
            pipeline.run(feeds)
            assert not pipeline.rejects(feeds)
            if stage == 2:
                # Flattened rows do not say whether their table has a key.
                keyless = [".".join((*prefix, name, "log")) for name in loads if "_flat" in name]
                pipeline.onboard(feeds, {name: [] for name in keyless}, schemas)
                pipeline.run(feeds)
            for name, load in loads.items():
                for table in (*load.tables, MARKER):
                    if comes_whole(name, table):
                        relation = relation_of(*prefix, name, table.name)
                        differences += [
                            f"stage {stage}: {one}"
                            for one in pipeline.differences(
                                relation, table, server.read, name, SENT[name]
                            )
                        ]
    finally:
        producer.stop()
    assert not differences, f"{len(differences)} cells differ:\n" + "\n".join(differences[:100])


def comes_whole(name: str, table: Table) -> bool:
    """Say whether all changes of a table can be followed: flattened updates lack the old row."""
    return bool(table.key) or "_flat" not in name
