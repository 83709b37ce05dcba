"""Landing from a real broker: every message exactly once, and clear errors when it cannot land."""

import contextlib
import hashlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
import uuid
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from changelake.core import settings
from changelake.core.errors import UserError
from changelake.core.feeds import FORMATS, Feed
from changelake.core.file_locks import locked
from changelake.kafka import client
from changelake.kafka.broker import Broker
from changelake.kafka.client import KafkaCluster
from changelake.landing import job as landing
from changelake.landing import locks, plans, queries
from changelake.landing.bronze import BronzeTable, ensure_bronze
from changelake.landing.checkpoints import Checkpoint
from changelake.landing.job import LandingError, land
from changelake.landing.leases import LEASE, Lease
from changelake.landing.locks import UPKEEP, lock_all, upkeep_lock
from changelake.landing.odd_times import land_batch
from changelake.spark.hadoop_files import HadoopFiles
from conftest import TopicMaker, bronze, offsets
from processes import kill_at_work

pytestmark = pytest.mark.e2e
# Kafka 4 refuses timestamps more than an hour ahead unless told otherwise; earlier versions
# take any.
ANY_TIME = {"message.timestamp.after.max.ms": str(2**63 - 1)}


def test_lands_bytes_headers_and_tombstones(
    run: Any, topic: TopicMaker, spark: Any, tmp_path: Path
) -> None:
    name = topic.create(partitions=2)
    topic.publish(name, 1, key=b"\x00\xff", value=b"\xfe'\\", headers=[("h", b"\x01"), ("h", None)])
    topic.publish(name, 1, partition=1, value=None)
    results = run(Feed("f", "canal", (name,)))
    assert [(r.feed, r.messages, r.bytes, r.error) for r in results] == [("f", 2, 5, None)]
    rows = bronze(spark, tmp_path).orderBy("kafka_partition").collect()
    assert (rows[0].feed, rows[0].kafka_topic, rows[0].kafka_offset) == ("f", name, 0)
    assert (rows[0].key, rows[0].value) == (b"\x00\xff", b"\xfe'\\")
    assert [tuple(header) for header in rows[0].headers] == [("h", b"\x01"), ("h", None)]
    assert rows[1].value is None
    assert rows[0].landed_at == rows[1].landed_at
    assert run(Feed("f", "canal", (name,)))[0].messages == 0
    for format_id in (FORMATS[0], FORMATS[-1]):
        assert bronze(spark, tmp_path, format_id).columns == bronze(spark, tmp_path).columns


def test_new_topics_and_partitions_are_read_from_their_start(
    run: Any, topic: TopicMaker, spark: Any, tmp_path: Path
) -> None:
    first, second = topic.create(), topic.create()
    topic.publish(first, 3)
    topic.publish(second, 5)
    topic.expire(second, 0, 2)  # Expired before the feed knew the topic, so the feed lost nothing.
    run(Feed("f", "canal", (first,)))
    topic.add_partitions(first, 2)
    topic.publish(first, 2, partition=1)
    result = run(Feed("f", "canal", (first, second)))[0]
    assert result.messages == 5
    expected = [(first, 0, n) for n in range(3)] + [(first, 1, n) for n in range(2)]
    assert offsets(spark, tmp_path) == sorted(expected + [(second, 0, n) for n in (2, 3, 4)])


def test_a_new_topic_after_a_kill(run: Any, topic: TopicMaker, spark: Any, tmp_path: Path) -> None:
    first, second = topic.create(), topic.create()
    topic.publish(first, 3)
    topic.publish(second, 5)
    topic.expire(second, 0, 2)
    run(Feed("f", "canal", (first,)))
    # As if killed before the batch was recorded as done: it is in the table, and comes again.
    for file in (tmp_path / "checkpoints" / "f" / "commits").glob("*0*"):
        file.unlink()
    result = run(Feed("f", "canal", (first, second)))[0]
    # Whoever was killed has not said what it had landed.
    assert result.messages == 6
    expected = [(first, 0, n) for n in range(3)] + [(second, 0, n) for n in (2, 3, 4)]
    assert offsets(spark, tmp_path) == sorted(expected)


def test_pattern(run: Any, topic: TopicMaker) -> None:
    name = topic.create()
    pattern = Feed("p", "canal", topic_pattern=f"{name}-\\d+")
    result = run(pattern)[0]
    assert result.messages == 0
    assert (result.remark or "").startswith("feed p: no topic at the broker matches")
    topic.publish(topic.create(f"{name}-1"), 4)
    topic.publish(topic.create(f"{name}-x"), 4)
    # The pattern must match the whole name.
    topic.publish(topic.create(f"{name}-1-x"), 4)
    topic.publish(topic.create(f"x-{name}-1"), 4)
    result = run(pattern)[0]
    assert (result.messages, result.remark) == (4, None)
    other = Feed("q", "canal", (f"{name}-1",))
    with pytest.raises(UserError, match="belongs to two feeds, 'p' and 'q'"):
        run(pattern, other)


def test_a_feed_goes_on_without_a_topic(
    run: Any, topic: TopicMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone, name = topic.create(), topic.create()
    for one in (gone, name):
        topic.publish(one, 3)
    both, rest = Feed("f", "canal", (gone, name)), Feed("f", "canal", (name,))
    assert run(both)[0].messages == 6
    topic.publish(name, 2)
    with pytest.raises(UserError, match="the feed no longer has: .*--feed f continues"):
        run(rest)
    accepted = run(rest, accept_loss=True)[0]
    assert (accepted.messages, accepted.given_up) == (2, f"topic '{gone}'")
    topic.publish(name, 1)
    assert run(rest)[0].messages == 1
    with monkeypatch.context() as patch:
        # as when the upkeep has dropped its rows
        patch.setattr(plans, "_landed", lambda *_: [])
        with pytest.raises(UserError, match="from before the feed dropped it"):
            run(both)
    assert run(rest)[0].messages == 0
    topic.delete(name)
    time.sleep(1)
    with pytest.raises(UserError, match="none of the topics of its checkpoint is at this broker"):
        run(replace(rest, topics=(gone,)), accept_loss=True)


def test_a_feed_goes_on_without_a_deleted_topic_that_it_names(
    run: Any, topic: TopicMaker, spark: Any, tmp_path: Path
) -> None:
    gone, name = topic.create(), topic.create()
    for one in (gone, name):
        topic.publish(one, 3)
    both = Feed("f", "canal", (gone, name))
    run(both)
    topic.delete(gone)
    topic.publish(name, 2)
    time.sleep(1)
    with pytest.raises(
        UserError, match=f"'{gone}' has been landed, but is no longer .* --feed f continues"
    ):
        run(both)
    accepted = run(both, accept_loss=True)[0]
    assert (accepted.messages, accepted.given_up) == (2, f"topic '{gone}'")
    # From now on it is listed, and holds up nothing.
    topic.publish(name, 1)
    later = run(both)[0]
    assert (later.messages, later.given_up) == (1, None)
    assert later.remark == (
        f"feed f: given up, and no longer at the broker: {gone!r}: remove from the list of feeds"
    )
    assert run(both, accept_loss=True)[0].given_up is None
    topic.publish(topic.create(gone), 4)
    with pytest.raises(UserError, match="from before the feed dropped it: remove it from the list"):
        run(both, accept_loss=True)
    assert run(replace(both, topics=(name,)))[0].remark is None
    expected = [(gone, 0, n) for n in range(3)] + [(name, 0, n) for n in range(6)]
    assert offsets(spark, tmp_path) == sorted(expected)


def test_a_missing_topic_keeps_no_other_of_its_feed_from_landing(
    run: Any, topic: TopicMaker, spark: Any, tmp_path: Path
) -> None:
    name = topic.create()
    late = f"{name}-late"
    topic.publish(name, 2)
    feed = Feed("f", "canal", (name, late))
    error = f"^feed f: the topic '{late}' does not exist at the broker"

    def messages(feed: Feed, **options: Any) -> int:
        with pytest.raises(LandingError, match=error) as caught:
            run(feed, **options)
        (result,) = caught.value.results
        assert result.given_up is None
        return result.messages

    # A first landing may run against the wrong broker.
    assert messages(feed) == 0
    run(replace(feed, topics=(name,)))
    topic.publish(name, 1)
    assert messages(feed) == 1
    # A misspelt topic must not count as a deleted one.
    topic.publish(name, 1)
    assert messages(replace(feed, topics=(late,))) == 0
    assert messages(replace(feed, topics=(late,)), accept_loss=True) == 0
    assert messages(feed, accept_loss=True) == 0
    topic.publish(topic.create(late), 3)
    assert run(feed)[0].messages == 4
    expected = [(name, 0, n) for n in range(4)] + [(late, 0, n) for n in range(3)]
    assert offsets(spark, tmp_path) == sorted(expected)


@pytest.mark.thorough
def test_a_misspelt_topic_is_said_before_the_one_that_it_was(run: Any, topic: TopicMaker) -> None:
    names = topic.create(), topic.create()
    for name in names:
        topic.publish(name, 1)
    feed = Feed("f", "canal", names)
    run(feed)
    topic.publish(names[0], 1)
    misspelt = replace(feed, topics=(names[0], f"{names[1]}x"))
    for options in ({}, {"accept_loss": True}):
        with pytest.raises(LandingError, match=f"x' does not exist .* mean '{names[1]}'"):
            run(misspelt, **options)
    assert run(feed)[0].messages == 1


@pytest.mark.thorough
def test_a_deleted_topic_is_replaced_by_one_of_another_name(
    run: Any, topic: TopicMaker, spark: Any, tmp_path: Path
) -> None:
    old, new = topic.create(), topic.create()
    topic.publish(old, 3)
    feed = Feed("f", "canal", (old,))
    run(feed)
    topic.delete(old)
    time.sleep(1)
    topic.publish(topic.create(old), 9)
    with pytest.raises(LandingError, match="created again.*have the producer write to a topic"):
        run(feed)
    topic.publish(new, 2)
    assert run(replace(feed, topics=(new,)), accept_loss=True)[0].messages == 2
    assert offsets(spark, tmp_path) == sorted(
        [(old, 0, n) for n in range(3)] + [(new, 0, 0), (new, 0, 1)]
    )


def test_a_topic_that_goes_while_feeds_are_planned_fails_its_own_feed_alone(
    run: Any, topic: TopicMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, gone = topic.create(), f"t-{uuid.uuid4().hex[:8]}"
    topic.publish(name, 2)
    listed = KafkaCluster.topic_names
    monkeypatch.setattr(KafkaCluster, "topic_names", lambda self: listed(self) | {gone})
    with pytest.raises(LandingError, match=f"feed g: the topic '{gone}' does not exist") as raised:
        run(Feed("g", "canal", (gone,)), Feed("f", "canal", (name,)))
    assert {one.feed: one.messages for one in raised.value.results} == {"f": 2, "g": 0}


def test_a_new_partition_whose_first_messages_expired(run: Any, topic: TopicMaker) -> None:
    name = topic.create()
    topic.publish(name, 2)
    feed = Feed("f", "canal", (name,))
    assert run(feed)[0].messages == 2
    topic.add_partitions(name, 2)
    topic.publish(name, 5, partition=1)
    topic.expire(name, 1, 3)
    with pytest.raises(UserError, match="partition 1: the offsets 0 to 2 expired"):
        run(feed)
    accepted = run(feed, accept_loss=True)[0]
    given_up = f"topic '{name}', partition 1: the offsets 0 to 2"
    assert (accepted.messages, accepted.given_up) == (2, given_up)
    topic.publish(name, 1, partition=1)
    assert run(feed)[0].messages == 1


def test_aborted_transactions_are_not_landed(run: Any, topic: TopicMaker, broker: str) -> None:
    from confluent_kafka import Producer

    name = topic.create()
    producer = Producer({"bootstrap.servers": broker, "transactional.id": name})
    producer.init_transactions()
    for commit in (False, True):
        producer.begin_transaction()
        producer.produce(name, b"x")
        producer.flush()
        producer.commit_transaction() if commit else producer.abort_transaction()
    feed = Feed("f", "canal", (name,))
    # Neither a caller's setting nor an option of Spark's source overrides what landing decides.
    tried = {"Isolation.Level": "read_uncommitted", "startingOffsets": "latest", "subscribe": "x"}
    assert run(feed, properties=tried)[0].messages == 1
    assert run(feed)[0].messages == 0
    producer.begin_transaction()
    producer.produce(name, b"x")
    producer.flush()
    producer.abort_transaction()
    # An empty batch is a version of bronze, too.
    assert [run(feed)[0].messages for _ in range(2)] == [0, 0]
    topic.publish(name, 1)
    assert run(feed)[0].messages == 1


def test_large_messages(run: Any, topic: TopicMaker, spark: Any, tmp_path: Path) -> None:
    name = topic.create()
    value = os.urandom(20_000_000)
    topic.publish(name, 12, value=value)
    assert run(Feed("f", "canal", (name,)))[0].bytes == 240_000_000
    found = bronze(spark, tmp_path).selectExpr("md5(value) as digest").groupBy("digest").count()
    assert [tuple(row) for row in found.collect()] == [(hashlib.md5(value).hexdigest(), 12)]


def test_a_message_with_an_invalid_timestamp_lands(
    run: Any, topic: TopicMaker, spark: Any, tmp_path: Path
) -> None:
    name = topic.create(partitions=2, config=ANY_TIME)
    header = [("h", b"\x00\xff"), ("é", None)]
    stamps = {0: 1_700_000_000_000, 1: 1_700_000_000_000_000_000, 2: 2**63 - 1}
    stamps |= {3: 1_700_000_000_000_000, 4: 253_402_300_799_999, 5: 253_402_300_800_000}
    for stamp in stamps.values():
        topic.publish(name, 1, key=b"\xff", value=b"\xfe\n", headers=header, timestamp=stamp)
    topic.publish(name, 3, partition=1, timestamp=2**63 - 1)
    feed = Feed("f", "canal", (name,))
    # Several batches; all but the last have a message that Spark cannot read.
    result = run(feed, max_offsets_per_trigger=4)[0]
    assert (result.messages, result.bytes, result.error) == (9, 6 * 3 + 3, None)
    topic.publish(name, 2)
    assert run(feed)[0].messages == 2
    assert run(feed)[0].messages == 0
    assert offsets(spark, tmp_path) == [(name, 0, n) for n in range(8)] + [
        (name, 1, n) for n in range(3)
    ]
    rows = bronze(spark, tmp_path).where("kafka_partition = 0").orderBy("kafka_offset").collect()
    times = {row.kafka_offset: row.kafka_timestamp for row in rows}
    assert {number for number, time in times.items() if time is None} == {1, 2, 3, 5}
    assert times[0] == datetime(2023, 11, 14, 22, 13, 20)
    for number, stamp in stamps.items():
        row = rows[number]
        said = [] if times[number] else [("changelake.kafka_timestamp", str(stamp).encode())]
        assert [tuple(one) for one in row.headers] == header + said
        assert (row.key, row.value) == (b"\xff", b"\xfe\n")
    tail = bronze(spark, tmp_path).where("kafka_partition = 1 or kafka_offset > 5")
    assert {row.landed_at is not None for row in tail.collect()} == {True}
    assert tail.where("kafka_partition = 0 and headers is not null").count() == 0
    assert not list((tmp_path / "checkpoints" / "f").glob("changelake-messages*"))


def test_landing_resumes_after_a_kill_in_a_batch_with_invalid_timestamps(
    run: Any, topic: TopicMaker, spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = topic.create(config=ANY_TIME)
    topic.publish(name, 2, timestamp=2**63 - 1)
    feed = Feed("f", "canal", (name,))

    def killed(*arguments: Any, **options: Any) -> None:
        land_batch(*arguments, **options)
        raise UserError("killed")

    monkeypatch.setattr(queries, "land_batch", killed)
    with pytest.raises(LandingError, match="killed"):
        run(feed)
    monkeypatch.undo()
    topic.publish(name, 1)
    assert run(feed)[0].messages == 3
    assert offsets(spark, tmp_path) == [(name, 0, n) for n in range(3)]


def test_a_compacted_topic_is_said(run: Any, topic: TopicMaker) -> None:
    name = topic.create(config={"cleanup.policy": "compact,delete"})
    topic.publish(name, 1, key=b"k")
    for _ in range(2):
        said = run(Feed("f", "canal", (name,)))[0].remark or ""
        assert said.startswith(f"feed f: compacted (cleanup.policy): {name!r}: the broker removes")
        assert "history misses its version" in said


def test_a_bad_feed_keeps_no_other_from_landing(run: Any, topic: TopicMaker) -> None:
    name = topic.create()
    topic.publish(name, 2)
    with pytest.raises(LandingError) as caught:
        run(Feed("bad", "canal", ("no-such-topic",)), Feed("good", "canal", (name,)))
    assert str(caught.value).startswith("feed bad: the topic 'no-such-topic' does not exist")
    assert [(r.feed, r.messages) for r in caught.value.results] == [("bad", 0), ("good", 2)]


def test_an_error_in_java_fails_only_its_own_feed(
    run: Any, topic: TopicMaker, tmp_path: Path
) -> None:
    bad, good = Feed("bad", "canal", (topic.create(),)), Feed("good", "canal", (topic.create(),))
    for feed in (bad, good):
        topic.publish(feed.topics[0], 2)
    run(bad)
    offset_log = tmp_path / "checkpoints" / "bad" / "offsets" / "0"
    offset_log.write_text(offset_log.read_text().replace("v1", "v9"))
    topic.publish(bad.topics[0], 1)
    with pytest.raises(LandingError, match=r"^feed bad: .*INVALID_LOG_VERSION.*$") as caught:
        run(bad, good)
    assert [result.messages for result in caught.value.results] == [0, 2]


def test_expired_offsets_are_named(run: Any, topic: TopicMaker) -> None:
    name = topic.create()
    topic.publish(name, 3)
    feed = Feed("f", "canal", (name,))
    run(feed)
    topic.publish(name, 7)
    topic.expire(name, 0, 8)
    with pytest.raises(LandingError, match=f"'{name}', partition 0: the offsets 3 to 7 expired"):
        run(feed)
    assert run(feed, accept_loss=True)[0].messages == 2


def test_a_recreated_topic_is_an_error(
    run: Any, topic: TopicMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = topic.create()
    topic.publish(name, 3)
    feed = Feed("f", "canal", (name,))
    # Before Kafka 2.8 topics have no id, for which an earlier version wrote zero.
    for none in ("A" * 22, ""):
        with monkeypatch.context() as patch:
            patch.setattr(client, "_known_id", lambda _, none=none: none)
            run(feed)
    run(feed)
    topic.delete(name)
    time.sleep(1)
    topic.create(name)
    topic.publish(name, 9)
    with pytest.raises(LandingError, match="was deleted and created again"):
        run(feed)


@pytest.mark.thorough
def test_a_refused_landing_gives_no_topic_up(
    run: Any, topic: TopicMaker, spark: Any, tmp_path: Path
) -> None:
    gone, again = topic.create(), topic.create()
    for one in (gone, again):
        topic.publish(one, 3)
    feed = Feed("f", "canal", (gone, again))
    run(feed)
    topic.delete(again)
    time.sleep(1)
    topic.publish(topic.create(again), 9)
    # a list from another broker that has a topic of the same name
    with pytest.raises(LandingError, match="was deleted and created again"):
        run(replace(feed, topics=(again,)), accept_loss=True)
    checkpoint = Checkpoint(spark, str(tmp_path / "checkpoints" / "f"), "f")
    assert checkpoint.progress().topics == checkpoint.marker()["topics"].keys() == {gone, again}


def test_a_checkpoint_of_something_else_is_an_error(
    run: Any, topic: TopicMaker, tmp_path: Path
) -> None:
    name, other = topic.create(), topic.create()
    topic.publish(name, 3)
    feed = Feed("f", "canal", (name,))
    run(feed)
    with pytest.raises(LandingError, match="checkpoint is for the format 'canal'"):
        run(replace(feed, format="debezium"))
    with pytest.raises(LandingError, match=f"checkpoint also covers the topic '{name}'"):
        run(replace(feed, topics=(other,)))
    with pytest.raises(LandingError, match="is in bronze already, landed for the feed 'f'"):
        run(replace(feed, feed="renamed"))


def test_a_checkpoint_older_or_newer_than_bronze_is_an_error(
    run: Any, topic: TopicMaker, spark: Any, tmp_path: Path
) -> None:
    name = topic.create()
    feed = Feed("f", "canal", (name,))
    checkpoint, table = tmp_path / "checkpoints" / "f", Path(settings.bronze("canal", tmp_path))
    backup = tmp_path / "backup"
    topic.publish(name, 2)
    run(feed)
    shutil.copytree(checkpoint, backup / "f")
    shutil.copytree(table, backup / "canal")
    topic.publish(name, 2)
    run(feed)
    newer = checkpoint.rename(tmp_path / "newer")
    shutil.copytree(backup / "f", checkpoint)
    with pytest.raises(LandingError, match="checkpoint is older than bronze: restore the"):
        run(feed, accept_loss=True)
    shutil.rmtree(checkpoint)
    newer.rename(checkpoint)
    shutil.rmtree(table)
    shutil.copytree(backup / "canal", table)
    spark.sparkContext._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
    topic.publish(name, 2)
    with pytest.raises(LandingError, match="bronze is older than its checkpoint: restore"):
        run(feed)


def test_a_topic_that_another_feed_landed_is_an_error(run: Any, topic: TopicMaker) -> None:
    first, second = topic.create(), topic.create()
    topic.publish(first, 2)
    topic.publish(second, 1)
    run(Feed("a", "canal", (first,)), Feed("b", "canal", (second,)))
    with pytest.raises(LandingError, match="is in bronze already, landed for the feed 'a'"):
        run(Feed("b", "canal", (second, first)))


def test_one_process_writes_a_bronze_table(run: Any, topic: TopicMaker, tmp_path: Path) -> None:
    name, other = topic.create(), topic.create()
    for one in (name, other):
        topic.publish(one, 2)
    with (
        locked("bronze", ".canal.lock", root=tmp_path),
        pytest.raises(LandingError, match="^feed f: another .* in one call$") as caught,
    ):
        run(Feed("f", "canal", (name,)), Feed("d", "debezium", (other,)))
    assert [result.messages for result in caught.value.results] == [0, 2]
    assert run(Feed("f", "canal", (name,)), Feed("g", "canal", (other,)))[0].messages == 2


def test_a_file_url_is_the_same_lake_and_lock(
    run: Any, topic: TopicMaker, spark: Any, broker: str, tmp_path: Path
) -> None:
    name = topic.create()
    topic.publish(name, 2)
    (tmp_path / "link").symlink_to(tmp_path)
    feed = Feed("f", "canal", (name,))
    assert land(spark, [feed], broker, root=f"file://{tmp_path}/")[0].messages == 2
    for spelling in (f"file:{tmp_path}", f"{tmp_path}/link"):
        assert land(spark, [feed], broker, root=spelling)[0].messages == 0
    with (
        locked("bronze", ".canal.lock", root=f"{tmp_path}/link"),
        pytest.raises(LandingError, match="another process is landing a feed of the same format"),
    ):
        land(spark, [feed], broker, root=f"file://{tmp_path}")


def test_a_lake_in_a_store(
    topic: TopicMaker,
    spark: Any,
    broker: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Not a real store, but a file system that Hadoop does not treat as a local one.
    link = "fs.viewfs.mounttable.store.link./lake"
    spark.sparkContext._jsc.hadoopConfiguration().set(link, f"file://{tmp_path}")
    lease = partial(Lease, beat_seconds=0.2, watch_seconds=5.0, settle_seconds=0.2)
    monkeypatch.setattr(landing, "Lease", lease)
    name, url = topic.create(), "viewfs://store/lake"
    topic.publish(name, 3)
    feed = Feed("f", "canal", (name,))
    with (
        lease(HadoopFiles(spark, url)),
        pytest.raises(UserError, match=r"^another process lands into this lake, process \d+ on"),
    ):
        land(spark, [feed], broker, root=url)
    assert land(spark, [feed], broker, root=url)[0].messages == 3
    topic.publish(name, 2)
    assert land(spark, [feed], broker, root=url)[0].messages == 2
    assert offsets(spark, tmp_path) == [(name, 0, n) for n in range(5)]
    assert not (tmp_path / LEASE).exists()


def test_bronze_is_made_once(spark: Any, tmp_path: Path) -> None:
    def ids() -> list[str]:
        return [BronzeTable(spark, one, str(tmp_path)).identity() for one in FORMATS]

    with ThreadPoolExecutor(2) as both:
        made = list(both.map(lambda _: ensure_bronze(spark, str(tmp_path)), range(2)))
    assert sorted(map(len, made)) == [0, len(FORMATS)]
    before = ids()
    assert ensure_bronze(spark, str(tmp_path)) == []
    assert ids() == before and len(set(before)) == len(FORMATS)


def test_an_unreachable_broker_is_said_at_once(spark: Any, tmp_path: Path) -> None:
    began = time.monotonic()
    with pytest.raises(UserError, match="no Kafka broker can be reached"):
        land(spark, [Feed("f", "canal", ("t",))], "127.0.0.1:1", root=str(tmp_path))
    assert time.monotonic() - began < 15


def _command(broker: str, feeds: Path, *options: str) -> list[str]:
    script = Path(__file__).parents[2] / "scripts" / "land.py"
    command = [sys.executable, str(script), "--bootstrap-servers", broker]
    return [*command, "--feeds-file", str(feeds), *options]


def test_the_command_ends_with_one_line_and_1(tmp_path: Path) -> None:
    feeds = _feeds_file(tmp_path, "t")
    for options, message in (
        (["127.0.0.1:1"], "no Kafka broker can be reached"),
        (["127.0.0.1:1", "--feed", "no"], "there is no feed 'no'"),
        (["nonsense"], "write HOST:PORT"),
        (["a..b:9092"], "'a..b' is not a host name"),
        (["127.0.0.1:1", "--continuous", "--trigger", "10"], "--trigger 10: write numbers and"),
    ):
        command = _command(options[0], feeds, *options[1:])
        done = subprocess.run(command, capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
        assert done.stderr.startswith("error: ") and message in done.stderr


def test_messages_are_published_as_the_guide_says(
    run: Any, broker: str, spark: Any, tmp_path: Path
) -> None:
    guide = Path(__file__).parents[2] / "docs" / "guides" / "feeds-and-landing.md"
    found = re.search(
        r"python - 127\.0\.0\.1:9092 shop\.orders messages\.jsonl << 'END'\n(.*?)    END",
        guide.read_text(),
        re.DOTALL,
    )
    assert found
    name, file = f"t-{uuid.uuid4().hex[:8]}", tmp_path / "messages"
    file.write_text('{"a": "é"}\n{"id": 1}\t{}\n')
    command = [sys.executable, "-", broker, name, str(file)]
    subprocess.run(command, input=textwrap.dedent(found[1]), text=True, check=True)
    assert run(Feed("f", "canal", (name,)))[0].messages == 2
    rows = bronze(spark, tmp_path).orderBy("kafka_offset").collect()
    assert [(row.key and row.key.decode(), row.value.decode()) for row in rows] == [
        (None, '{"a": "é"}'),
        ('{"id": 1}', "{}"),
    ]


def test_the_broker_says_that_its_port_is_taken(broker: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is taken by another program"):
        Broker(tmp_path, int(broker.rpartition(":")[2])).start()


def _feeds_file(directory: Path, name: str) -> Path:
    path = directory / "feeds.csv"
    path.write_text(f"feed,topics,topic_pattern,format,time_zone\nkill,{name},,canal,\n")
    return path


@pytest.mark.thorough
def test_kills_leave_neither_gaps_nor_copies(
    run: Any, topic: TopicMaker, broker: str, spark: Any, tmp_path: Path
) -> None:
    name = topic.create(partitions=2)
    for partition in (0, 1):
        topic.publish(name, 50_000, partition)
    feeds = _feeds_file(tmp_path, name)
    environment = {**os.environ, settings.HOME_VARIABLE: str(tmp_path)}
    command = _command(broker, feeds, "--max-offsets-per-trigger", "2000")
    chance = random.Random(7)
    log = tmp_path / "checkpoints" / "kill" / "offsets"
    kills = 0
    for _ in range(3):
        before = len(list(log.glob("[0-9]*")))
        kills += kill_at_work(
            {"args": command, "env": environment},
            lambda before=before: len(list(log.glob("[0-9]*"))) > before + 1,
            chance.random() * 1.5,
        )
    assert kills >= 2
    run(Feed("kill", "canal", (name,)))
    assert offsets(spark, tmp_path) == [(name, p, n) for p in (0, 1) for n in range(50_000)]


@pytest.mark.thorough
def test_continuous_landing_ends_quietly(
    run: Any, topic: TopicMaker, broker: str, spark: Any, tmp_path: Path
) -> None:
    name = topic.create()
    topic.publish(name, 10)
    feeds = _feeds_file(tmp_path, name)
    environment = {**os.environ, settings.HOME_VARIABLE: str(tmp_path)}
    process = subprocess.Popen(
        _command(broker, feeds, "--continuous", "--trigger", "1 second"),
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    commits = tmp_path / "checkpoints" / "kill" / "commits"
    # Two Sparks start here, which takes minutes on a busy machine.
    until = time.monotonic() + 240
    while not (commits / "0").exists() and time.monotonic() < until:
        time.sleep(0.1)
    topic.publish(name, 5)
    while not (commits / "1").exists() and time.monotonic() < until:
        time.sleep(0.1)
    with pytest.raises(LandingError, match="feed kill: another landing is under way"):
        run(Feed("kill", "canal", (name,)))
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert "landed 15 messages" in out
    assert len(offsets(spark, tmp_path)) == 15


@pytest.mark.thorough
def test_a_table_of_an_earlier_version_comes_to_keep_its_changes(
    run: Any, topic: TopicMaker, spark: Any, tmp_path: Path
) -> None:
    name = topic.create()
    topic.publish(name, 2)
    feed = Feed("f", "canal", (name,))
    run(feed)
    path = settings.bronze("canal", str(tmp_path))
    table = f"delta.`{path}`"
    spark.sql(f"alter table {table} unset tblproperties ('delta.enableChangeDataFeed')")
    topic.publish(name, 3)
    run(feed)
    properties = dict(spark.sql(f"show tblproperties {table}").collect())
    assert properties["delta.enableChangeDataFeed"] == "true"
    since = int(properties["changelake_changes_since"])
    changes = spark.sql(f"select * from table_changes_by_path('{path}', {since + 1})")
    assert changes.count() == 3
    run(feed)
    assert dict(spark.sql(f"show tblproperties {table}").collect()) == properties


def test_a_landing_waits_for_the_upkeep(capsys: pytest.CaptureFixture[str], lake: Path) -> None:
    stop = threading.Event()
    with upkeep_lock("canal") as is_free:
        assert is_free
        landing = threading.Thread(target=lock_all, args=([], None, {}, ExitStack(), stop))
        landing.start()
        landing.join(1.0)
        assert landing.is_alive()
    landing.join(10.0)
    assert not landing.is_alive()
    said = capsys.readouterr().out
    assert said == "waiting for the upkeep of bronze by scripts/maintain.py…\n"


def test_an_upkeep_does_not_come_between_a_landings_locks(
    lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, ...]] = []

    @contextlib.contextmanager
    def noted(*parts: str, **options: Any) -> Generator[None]:
        if parts != UPKEEP:
            asked.append(parts)
            with pytest.raises(BlockingIOError), locked(*UPKEEP, wait=False):
                pass
            # another landing
            with locked(*UPKEEP, wait=False, shared=True):
                pass
        with locked(*parts, **options):
            yield

    monkeypatch.setattr(locks, "locked", noted)
    with ExitStack() as held:
        lock_all([Feed("f", "canal", ("t",))], None, {}, held, threading.Event())
        with locked(*UPKEEP, wait=False):
            pass
    assert asked == [("bronze", ".canal.lock"), ("checkpoints", ".f.lock")]


def test_a_signal_ends_the_wait_for_the_upkeep(lake: Path) -> None:
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    begun = time.monotonic()
    with upkeep_lock("canal"), ExitStack() as locks:
        lock_all([], None, {}, locks, stop)
    assert time.monotonic() - begun < 5.0
