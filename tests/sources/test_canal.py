"""Canal's own server on a real MySQL: every cell arrives as it is in the database."""

import platform
from pathlib import Path

import pytest

import sent
from changelake.core.feeds import Feed
from pipeline import Pipeline, Sent, relation_of
from producers import canal
from servers import MySql
from tables import MARKER, mysql_tables
from workload import Workload

pytestmark = pytest.mark.sources

# By topic, which is also the database's name: the number of partitions that keys are hashed to.
PARTITIONS = {"c_one": 1, "c_hashed": 3}
# What Canal sends differently from MySQL: see docs/formats/canal.md.
SENT: Sent = {
    "c_latin1": sent.in_other_characters("latin1"),
    "c_gbk": sent.in_other_characters("gbk"),
    "c_utf16": sent.in_other_characters("utf-16-be"),
}
STAGES = (40, 120)


def test_every_cell_arrives(pipeline: Pipeline, source_jars: Path, tmp_path: Path) -> None:
    if MySql.missing or (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        pytest.skip(MySql.missing or "the MySQL in the jar is one for Linux on x86-64")
    server = MySql(source_jars)
    try:
        check(server, pipeline, source_jars, tmp_path)
    finally:
        server.stop()


def check(server: MySql, pipeline: Pipeline, source_jars: Path, directory: Path) -> None:
    """Run the workload in stages, build after each, and compare with the database."""
    loads = {
        # With several partitions a key change cannot be ordered among other changes of the same
        # second, since Canal sends no position.
        name: Workload(
            mysql_tables(),
            server.quoted,
            "where {where} limit 1",
            seed,
            moves=PARTITIONS[name] == 1,
        )
        for seed, name in enumerate(PARTITIONS, start=90)
    }
    for name, load in loads.items():
        server.sql(f"create database {name}")
        # Canal has no snapshot: it reads the binary log from the first event.
        server.sql(load.create() + load.fill() + load.mark(), name)
    feeds = [Feed(name, "canal", (name,), time_zone="Asia/Shanghai") for name in loads]
    producer = canal(
        source_jars, pipeline.broker, directory, server.port, server.user, server.password,
        PARTITIONS,
    )  # fmt: skip
    differences = []
    try:
        for stage, steps in enumerate(STAGES, start=2):
            for name, load in loads.items():
                changes = load.alter(server.new_type) if stage == 3 else ""
                server.sql(changes + load.steps(steps) + load.mark(), name)
            producer.wait_for(pipeline.broker, list(loads), '"table":"marker"', f'"id":"{stage}"')
            pipeline.run(feeds)
            assert not pipeline.rejects(feeds)
            if stage == 2:
                pipeline.onboard(feeds, {})
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
