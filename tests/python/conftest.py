"""Shared fixtures: one Spark session and one local broker."""

import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from changelake.core import settings, tuning
from changelake.core.feeds import Feed
from changelake.dev.project import project_copy
from changelake.kafka.broker import Broker, free_port
from changelake.landing.job import land
from changelake.landing.plans import FeedResult
from changelake.spark.jvm import MEMORY_VARIABLE
from changelake.spark.session import spark_session
from joint_build import Part, build_parts
from parsed_messages import ParsedMessages
from parsers import compiled_parsers
from streams import SALT

# A busy machine makes no test fail.
hypothesis.settings.register_profile(
    "busy", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("busy")


@pytest.fixture(scope="session")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A lake for the tests of this run.

    It lies where target sample keeps its tables in another lake, so that test_samples.py can build
    them in the same session.
    """
    before = os.environ.get(settings.HOME_VARIABLE)
    path = tmp_path_factory.mktemp("lake") / "sample"
    path.mkdir()
    os.environ[settings.HOME_VARIABLE] = str(path)
    yield path
    if before is None:
        del os.environ[settings.HOME_VARIABLE]
    else:
        os.environ[settings.HOME_VARIABLE] = before


@pytest.fixture(scope="session")
def spark(lake: Path) -> Any:
    """The one Spark session of this run, with the catalog of the tests' lake."""
    # Spark's Java reads these from its environment.
    os.environ["CHANGELAKE_MASK_SALT"] = SALT
    tuning.expect_little_data(for_minutes=True)
    # Parsing a message of 21 MB takes 1.3 GB, beside what Spark keeps about thousands of queries.
    # Where the default heap is too small for that, Spark's Java exits.
    os.environ.setdefault(MEMORY_VARIABLE, "5g")
    return spark_session("changelake tests", "local", hive=True)


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real broker on its own port; gives HOST:PORT."""
    port = free_port()
    local = Broker(tmp_path_factory.mktemp("kafka"), port)
    local.start()
    yield f"127.0.0.1:{port}"
    local.stop()


@pytest.fixture(scope="session")
def project(
    request: pytest.FixtureRequest, lake: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """A copy of the project without models of tables; tests may write to it.

    Models get the feeds of tables from the seed, and building a feed's format with its parser takes
    seconds. So the seed has only the feeds that the modules of this run's tests name in
    `FEEDS_OF_TABLES`, where the tests use the project.
    """
    listed = {"faults": "canal", "shop": "canal"}
    for item in request.session.items:
        if "project" in getattr(item, "fixturenames", ()):
            listed |= getattr(getattr(item, "module", None), "FEEDS_OF_TABLES", {})
    with project_copy(tmp_path_factory.mktemp("project")) as copy:
        with (copy / "seeds" / "feeds.csv").open("a") as seed:
            seed.writelines(f"{name},{name},,{format_id},\n" for name, format_id in listed.items())
        yield copy


@pytest.fixture(scope="session")
def parsers(spark: Any, project: Path) -> dict[str, str]:
    """The SQL of each format's parser."""
    return compiled_parsers(spark, project)


@pytest.fixture(scope="session")
def told(spark: Any, parsers: dict[str, str]) -> ParsedMessages:
    """What the parsers make of the messages that several modules look at."""
    return ParsedMessages(spark, parsers)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the modules of the joint build in sequence, and the build of the samples last.

    Later builds lack the models of the joint build and would change what it left in silver. The
    build of the samples starts with an empty catalog.
    """
    items.sort(key=lambda item: item.path.name == "test_samples.py")
    joint = [item for item in items if _part(item)]
    if joint:
        first = items.index(joint[0])
        items[first:] = joint + [item for item in items[first:] if not _part(item)]


def _part(item: pytest.Item) -> Part | None:
    return getattr(getattr(item, "module", None), "PART", None)


@pytest.fixture(scope="session")
def failures(
    request: pytest.FixtureRequest,
    spark: Any,
    project: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> list[str]:
    """The failures of the joint build, over the modules that are run."""
    parts = dict.fromkeys(part for item in request.session.items if (part := _part(item)))
    log = tmp_path_factory.mktemp("joint") / "log"
    return build_parts(spark, project, log, list(parts))


@pytest.fixture(scope="session")
def built(spark: Any, failures: list[str]) -> Any:
    """The session, after the joint build."""
    assert failures == []
    return spark


@pytest.fixture
def topic(broker: str) -> "TopicMaker":
    """Creates topics and publishes messages to them."""
    return TopicMaker(broker)


class TopicMaker:
    """Topics of one test, and the messages in them."""

    def __init__(self, servers: str) -> None:
        from confluent_kafka.admin import AdminClient

        self.servers = servers
        self.admin = AdminClient({"bootstrap.servers": servers, "log_level": 0})

    def create(
        self, name: str = "", partitions: int = 1, config: dict[str, str] | None = None
    ) -> str:
        """Create a topic and return its name."""
        from confluent_kafka.cimpl import NewTopic

        name = name or f"t-{uuid.uuid4().hex[:8]}"
        topic = NewTopic(name, partitions, 1, config=config or {})
        self.admin.create_topics([topic])[name].result()
        return name

    def delete(self, name: str) -> None:
        """Delete a topic."""
        self.admin.delete_topics([name])[name].result()

    def add_partitions(self, name: str, count: int) -> None:
        """Increase the number of a topic's partitions."""
        from confluent_kafka.cimpl import NewPartitions

        self.admin.create_partitions([NewPartitions(name, count)])[name].result()

    def expire(self, name: str, partition: int, before: int) -> None:
        """Drop the messages before an offset, as retention would."""
        from confluent_kafka import TopicPartition

        for future in self.admin.delete_records([TopicPartition(name, partition, before)]).values():
            future.result()

    def publish(self, name: str, count: int, partition: int = 0, **message: Any) -> None:
        """Publish messages `0`, `1`, …, or copies of one given message."""
        from confluent_kafka import Producer

        options = {"bootstrap.servers": self.servers, "message.max.bytes": 64_000_000}
        options |= {"log_level": 0}
        producer = Producer({**options, "queue.buffering.max.messages": 1_000_000})
        for number in range(count):
            given = {"value": str(number).encode(), **message}
            producer.produce(name, partition=partition, **given)
        assert producer.flush(60) == 0


@pytest.fixture
def run(spark: Any, broker: str, tmp_path: Path) -> Callable[..., list[FeedResult]]:
    """Lands feeds in a lake of the test's own."""

    def landed(*feeds: Feed, **options: Any) -> list[FeedResult]:
        return land(spark, feeds, broker, root=str(tmp_path), **options)

    return landed


def bronze(spark: Any, root: Path, format_id: str = "canal") -> Any:
    """Return the bronze table as a data frame."""
    return spark.read.format("delta").load(settings.bronze(format_id, root))


def offsets(spark: Any, root: Path) -> list[tuple[str, int, int]]:
    """Return the topics, partitions and offsets of the landed messages, sorted."""
    columns = ("kafka_topic", "kafka_partition", "kafka_offset")
    return sorted(tuple(row) for row in bronze(spark, root).select(*columns).collect())
