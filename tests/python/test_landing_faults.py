"""Failures while landing: a clear error, no message lost or duplicated, and a clean next run."""

import hashlib
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from changelake.core import settings
from changelake.core.errors import UserError
from changelake.core.feeds import Feed
from changelake.kafka.broker import Broker, free_port
from changelake.landing.bronze import BronzeTable
from changelake.landing.job import LandingError, land
from conftest import TopicMaker, bronze, offsets
from processes import kill_java

pytestmark = pytest.mark.e2e

WAIT_SECONDS = 120.0


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait, for a limited time, until this holds."""
    until = time.monotonic() + WAIT_SECONDS
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.1)


def commits(root: Path) -> int:
    """Return how many batches of the feed `f` are done."""
    return len(list((root / "checkpoints" / "f" / "commits").glob("[0-9]*")))


@contextmanager
def continuous(
    spark: Any, servers: str, root: Path, feed: Feed, **properties: str
) -> Iterator[list[Exception]]:
    """Land continuously in the background; yields a list for the error, if it ends with one."""
    stop, errors = threading.Event(), []

    def landing() -> None:
        options = {"properties": properties, "trigger": "500 milliseconds", "stop": stop}
        try:
            land(spark, [feed], servers, root=str(root), **options)
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=landing)
    thread.start()
    try:
        yield errors
    finally:
        stop.set()
        thread.join(WAIT_SECONDS)


@pytest.fixture
def own_broker(tmp_path: Path) -> Iterator[Broker]:
    """A broker that the test may stop."""
    broker = Broker(tmp_path / "kafka", free_port())
    broker.start()
    yield broker
    broker.stop()


@pytest.mark.thorough
def test_a_broker_that_stops_and_comes_back(own_broker: Broker, spark: Any, tmp_path: Path) -> None:
    servers = f"127.0.0.1:{own_broker.port}"
    topic = TopicMaker(servers)
    name = topic.create()
    feed = Feed("f", "canal", (name,))
    topic.publish(name, 1000)
    # Down for less time than the client waits: nothing happens.
    with continuous(spark, servers, tmp_path, feed) as errors:
        wait_until(lambda: commits(tmp_path) > 0)
        own_broker.stop()
        own_broker.start()
        topic.publish(name, 1000)
        wait_until(lambda: commits(tmp_path) > 1)
    assert errors == []
    # Down for longer.
    short = {"default.api.timeout.ms": "3000", "request.timeout.ms": "2000"}
    with continuous(spark, servers, tmp_path, feed, **short) as errors:
        topic.publish(name, 1000)
        wait_until(lambda: commits(tmp_path) > 2)
        own_broker.stop()
        wait_until(lambda: bool(errors))
    line = "feed f: the broker no longer answers: once it does, run again ("
    assert str(errors[0]).startswith(line) and "\n" not in str(errors[0])
    with pytest.raises(UserError, match="no Kafka broker can be reached"):
        land(spark, [feed], servers, root=str(tmp_path))
    own_broker.start()
    topic.publish(name, 1000)
    land(spark, [feed], servers, root=str(tmp_path))
    assert offsets(spark, tmp_path) == [(name, 0, n) for n in range(4000)]


@pytest.mark.thorough
def test_a_broker_that_stops_while_all_there_is_is_landed(
    own_broker: Broker, spark: Any, tmp_path: Path
) -> None:
    servers = f"127.0.0.1:{own_broker.port}"
    topic = TopicMaker(servers)
    name = topic.create()
    topic.publish(name, 20_000)
    options = {"root": str(tmp_path), "max_offsets_per_trigger": 2000}

    def stop_and_start() -> None:
        wait_until(lambda: commits(tmp_path) > 1)
        own_broker.stop()
        own_broker.start()

    restart = threading.Thread(target=stop_and_start)
    restart.start()
    result = land(spark, [Feed("f", "canal", (name,))], servers, **options)[0]
    restart.join()
    assert (result.messages, result.error) == (20_000, None)
    assert offsets(spark, tmp_path) == [(name, 0, n) for n in range(20_000)]


def test_partitions_that_are_added_meanwhile(
    topic: TopicMaker, broker: str, spark: Any, tmp_path: Path
) -> None:
    name = topic.create()
    feed = Feed("f", "canal", (name,))
    topic.publish(name, 10)
    with continuous(spark, broker, tmp_path, feed) as errors:
        wait_until(lambda: commits(tmp_path) > 0)
        topic.add_partitions(name, 3)
        # Messages published together may come in two batches, and a new partition in an empty one.
        for partition, landed in ((2, 20), (1, 30)):
            topic.publish(name, 10, partition=partition)
            wait_until(lambda count=landed: len(offsets(spark, tmp_path)) >= count)
    assert errors == []
    assert offsets(spark, tmp_path) == [(name, p, n) for p in range(3) for n in range(10)]


def test_a_message_of_50_mb(run: Any, topic: TopicMaker, spark: Any, tmp_path: Path) -> None:
    name, value = topic.create(), os.urandom(50_000_000)
    topic.publish(name, 1, value=value)
    topic.publish(name, 1, value=b"next")
    assert run(Feed("f", "canal", (name,)))[0].bytes == len(value) + 4
    landed = bronze(spark, tmp_path).selectExpr("sha2(value, 256) as digest").collect()
    expected = {hashlib.sha256(one).hexdigest() for one in (value, b"next")}
    assert {row.digest for row in landed} == expected


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 16 MB, if this machine allows the test to create one."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(place)]
    try:
        made = subprocess.run(mount, capture_output=True, text=True)
    except OSError as error:
        pytest.skip(f"no small disk can be made here: {error}")
    if made.returncode:
        pytest.skip(f"no small disk can be made here: {made.stderr.strip()}")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.mark.thorough
def test_a_full_disk(topic: TopicMaker, broker: str, spark: Any, small_disk: Path) -> None:
    name = topic.create()
    feed = Feed("f", "canal", (name,))
    topic.publish(name, 3)
    land(spark, [feed], broker, root=str(small_disk))
    topic.publish(name, 1, value=os.urandom(1_000_000))
    ballast = small_disk / "ballast"
    # First the disk is full from the start, then it fills up amid a batch's data.
    for room in (0, 500_000):
        with ballast.open("wb", buffering=0) as file:
            while True:
                try:
                    file.write(bytes(4096))
                except OSError:
                    break
            file.truncate(file.tell() - room)
        with pytest.raises(UserError, match="^feed f: .*No space left on device") as caught:
            land(spark, [feed], broker, root=str(small_disk))
        assert "\n" not in str(caught.value)
    ballast.unlink()
    topic.publish(name, 1)
    land(spark, [feed], broker, root=str(small_disk))
    assert offsets(spark, small_disk) == [(name, 0, n) for n in range(5)]


BRONZE, LOG, CHECKPOINT = "bronze/canal", "bronze/canal/_delta_log", "checkpoints/f"
LOST: dict[str, tuple[str, str]] = {
    "bronze": (BRONZE, "bronze is older than its checkpoint: restore the whole lake"),
    "bronze's log": (LOG, "bronze/canal has data, but Delta's log of it is lost: restore"),
    "an entry": (f"{LOG}/{1:020}.json", "bronze/canal cannot be read .*: where Delta's log"),
    "the last entry": (f"{LOG}/{2:020}.json", "bronze is older than its checkpoint: restore"),
    "checkpoint": (CHECKPOINT, "is in bronze already, .* has no checkpoint: restore the whole"),
    "offsets": (f"{CHECKPOINT}/offsets", "checkpoint is older than bronze: restore the whole"),
    "identity": (f"{CHECKPOINT}/metadata", "its checkpoint .* is damaged: restore the whole"),
}
DAMAGED: dict[str, tuple[str, str]] = {
    "the first entry": (f"{LOG}/{0:020}.json", "bronze/canal cannot be read .*: where Delta's"),
    "an entry": (f"{LOG}/{1:020}.json", "bronze/canal cannot be read .*: where Delta's log"),
    "offsets": (f"{CHECKPOINT}/offsets/1", "its checkpoint .* is damaged: restore the whole lake"),
    "identity": (f"{CHECKPOINT}/metadata", "its checkpoint .* is damaged: restore the whole lake"),
}
# What can go without loss, because it is also elsewhere or can be recreated.
NEEDLESS = [f"{CHECKPOINT}/commits", f"{CHECKPOINT}/sources", f"{CHECKPOINT}/changelake.json"]


def test_a_damaged_first_commit_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without Spark, which has read the log's later part."""
    monkeypatch.setattr(BronzeTable, "version", lambda _: 0)
    no_spark: Any = None
    table = BronzeTable(no_spark, "canal", str(tmp_path))
    for text, untouched in (
        ('{"metaData":{}}\n', True),
        ('{"add":{}}\n', False),
        ('{"add":', None),
    ):
        vars(table)["_files"] = SimpleNamespace(read_text=lambda *_, text=text: text)
        if untouched is not None:
            assert table.is_untouched() == untouched
            continue
        for ask in (table.is_untouched, table.identity):
            with pytest.raises(UserError, match=r"^bronze/canal cannot be read \(.*restore the wh"):
                ask()


@pytest.mark.thorough
def test_what_is_lost_or_damaged_is_said_before_anything_is_landed(
    run: Any, topic: TopicMaker, broker: str, spark: Any, tmp_path: Path
) -> None:
    name = topic.create()
    feed = Feed("f", "canal", (name,))
    for _ in range(2):
        topic.publish(name, 3)
        run(feed)
    topic.publish(name, 1)
    whole, lake = tmp_path / "whole", tmp_path / "lake"
    for part in ("bronze", "checkpoints"):
        shutil.copytree(tmp_path / part, whole / part)

    def lose(path: Path) -> None:
        shutil.rmtree(path) if path.is_dir() else path.unlink()

    def cut(path: Path) -> None:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])

    def overwrite(path: Path) -> None:
        path.write_bytes(b"\0garbage\xff")

    def empty(path: Path) -> None:
        path.write_bytes(b"")

    def landed(damage: Callable[[Path], None], path: str) -> None:
        shutil.rmtree(lake, ignore_errors=True)
        shutil.copytree(whole, lake)
        spark.sparkContext._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
        damage(lake / path)
        land(spark, [feed], broker, root=str(lake))

    damages = [(lose, *one) for one in LOST.values()]
    damages += [(how, *one) for one in DAMAGED.values() for how in (cut, overwrite, empty)]
    for damage, path, words in damages:
        with pytest.raises(UserError, match=words) as caught:
            landed(damage, path)
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 700
    # Other feeds still land.
    other = Feed("g", "debezium", (topic.create(),))
    topic.publish(other.topics[0], 2)
    shutil.rmtree(lake / LOG)
    with pytest.raises(LandingError) as raised:
        land(spark, [feed, other], broker, root=str(lake))
    assert [one.messages for one in raised.value.results] == [0, 2]
    needless = [(lose, path) for path in NEEDLESS]
    # as a power failure leaves the last file that a landing writes
    needless += [(how, f"{CHECKPOINT}/commits/1") for how in (cut, overwrite, empty)]
    for damage, path in needless:
        landed(damage, path)
        assert offsets(spark, lake) == [(name, 0, n) for n in range(7)]


QUERY = '{"id":"6f1d3f0a-3f0e-4d3c-9a52-9b1c1f3a7e11"}'
# What a power failure amid a feed's first batch can leave.
BEGUN: dict[str, dict[str, str]] = {
    "only an identity": {"metadata": QUERY, "sources/0/0": "", "offsets/0": ""},
    "nothing": {"metadata": "", "sources/0/0": "", "offsets/0": ""},
    "nothing and no batch": {"metadata": ""},
}


@pytest.mark.parametrize("files", BEGUN.values(), ids=BEGUN)
def test_a_power_failure_amid_a_batch_loses_nothing(
    run: Any, topic: TopicMaker, spark: Any, tmp_path: Path, files: dict[str, str]
) -> None:
    """Spark does not sync the files that it writes before a batch begins."""
    name, checkpoint = topic.create(), tmp_path / CHECKPOINT
    feed = Feed("f", "canal", (name,))
    for file, text in files.items():
        (checkpoint / file).parent.mkdir(parents=True, exist_ok=True)
        (checkpoint / file).write_text(text)
    topic.publish(name, 3)
    run(feed)
    whole = (checkpoint / "offsets" / "0").read_text()
    for batch, left in ((1, ""), (2, whole[: len(whole) // 2])):
        topic.publish(name, 1)
        (checkpoint / "offsets" / str(batch)).write_text(left)
        run(feed)
    assert offsets(spark, tmp_path) == [(name, 0, n) for n in range(5)]
    # What is in bronze is not landed again.
    shutil.rmtree(checkpoint / "commits")
    for file in (checkpoint / "metadata", *(checkpoint / "offsets").iterdir()):
        file.write_text("")
    with pytest.raises(UserError, match="is in bronze already, .* this feed has no checkpoint"):
        run(feed)


@pytest.mark.thorough
def test_a_killed_java(
    run: Any, topic: TopicMaker, broker: str, spark: Any, tmp_path: Path
) -> None:
    name = topic.create()
    topic.publish(name, 50_000)
    feeds = tmp_path / "feeds.csv"
    feeds.write_text(f"feed,topics,topic_pattern,format,time_zone\nf,{name},,canal,\n")
    script = Path(__file__).parents[2] / "scripts" / "land.py"
    options = ["--bootstrap-servers", broker, "--feeds-file", str(feeds)]
    process = subprocess.Popen(
        [sys.executable, str(script), *options, "--max-offsets-per-trigger", "1000"],
        env={**os.environ, settings.HOME_VARIABLE: str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_until(lambda: commits(tmp_path) > 1)
    assert kill_java(process.pid)
    out, err = process.communicate(timeout=WAIT_SECONDS)
    assert (process.returncode, err.count("\n")) == (1, 1), err
    assert err.startswith("error: Spark's Java process has ended: see ")
    run(Feed("f", "canal", (name,)))
    assert offsets(spark, tmp_path) == [(name, 0, n) for n in range(50_000)]
