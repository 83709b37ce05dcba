"""Maxwell's daemon on a genuine MySQL: every cell arrives as the database has it."""

import platform
import time
from pathlib import Path

import pytest

import sent
from changelake.core.feeds import Feed
from pipeline import Pipeline, Sent, relation_of
from producers import Producer, maxwell
from servers import MySql
from tables import MARKER, mysql_tables
from workload import Workload

pytestmark = pytest.mark.sources

# by topic, which is the database's name too: over how many partitions keys are hashed
PARTITIONS = {"m_one": 1, "m_hashed": 3}
# what Maxwell does not send as MySQL has it: see docs/formats/maxwell.md
SENT: Sent = {"time": sent.time_within_a_day}
STAGES = (40, 120)
START_SECONDS = 120.0


def test_every_cell_arrives(pipeline: Pipeline, source_jars: Path, tmp_path: Path) -> None:
    if MySql.missing or (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        pytest.skip(MySql.missing or "the MySQL in the jar is one for Linux on x86-64")
    server = MySql(source_jars)
    try:
        check(server, pipeline, source_jars, tmp_path)
    finally:
        server.stop()


def check(server: MySql, pipeline: Pipeline, source_jars: Path, directory: Path) -> None:
    """Fill tables, have them bootstrapped, do the workload in stages, and compare after each."""
    loads = {
        name: Workload(mysql_tables(), server.quoted, "where {where} limit 1", seed)
        for seed, name in enumerate(PARTITIONS, start=70)
    }
    schema = {}
    for name, load in loads.items():
        server.sql(f"create database {name}")
        server.sql(load.create() + load.fill() + load.mark(), name)
        schema[name] = directory / f"{name}.sql"
        schema[name].write_text(f"use {name};\n{load.create()}")
    feeds = [Feed(name, "maxwell", (name,)) for name in loads]
    producer = maxwell(
        source_jars, pipeline.broker, directory, server.port, server.user, server.password,
        PARTITIONS,
    )  # fmt: skip
    differences = []
    try:
        wait_until_it_reads(server, producer)
        for name, load in loads.items():
            for table in (*load.tables, MARKER):
                server.sql(
                    "insert into maxwell.bootstrap (database_name, table_name)"
                    f" values ('{name}', '{table.name.replace(chr(39), chr(39) * 2)}')"
                )
        for stage, steps in enumerate(STAGES, start=2):
            for name, load in loads.items():
                changes = load.alter(server.new_type) if stage == 3 else ""
                server.sql(changes + load.steps(steps) + load.mark(), name)
            producer.wait_for(pipeline.broker, list(loads), '"table":"marker"', f'"id":{stage}}}')
            pipeline.run(feeds)
            assert not pipeline.rejects(feeds)
            if stage == 2:
                pipeline.onboard(feeds, {}, schema)
                pipeline.run(feeds)
            for name, load in loads.items():
                for table in (*load.tables, MARKER):
                    relation = relation_of(name, table.name)
                    differences += [
                        f"stage {stage}: {one}"
                        for one in pipeline.differences(relation, table, server.read, name, SENT)
                    ]
    finally:
        producer.stop()
    assert not differences, f"{len(differences)} cells differ:\n" + "\n".join(differences[:100])


def wait_until_it_reads(server: MySql, producer: Producer) -> None:
    """Wait until Maxwell has noted the tables and its place in the binary log."""
    until = time.monotonic() + START_SECONDS
    query = "select count(*) from maxwell.positions"
    while True:
        try:
            if server.sql(query).strip() == "1":
                return
        except AssertionError:
            # the table is not there yet
            pass
        assert time.monotonic() < until, producer.log.read_text(errors="replace")[-4000:]
        time.sleep(0.5)
