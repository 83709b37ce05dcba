"""Producers of change streams that write to the tests' broker, each in its own process."""

import shutil
import subprocess
import time
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from changelake.spark.java import find_java

HERE = Path(__file__).parent
WAIT_SECONDS = 240.0


class Producer:
    """A Java program that writes to Kafka until its standard input ends.

    Args:
        command: the program with its arguments.
        directory: where it runs and writes its log.
    """

    def __init__(self, command: list[str], directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.log = directory / "producer.log"
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=log, stderr=log, cwd=directory
            )

    def wait_for(self, servers: str, topics: list[str], *texts: str) -> None:
        """Wait until each topic holds a message that contains all of these texts."""
        for topic in topics:
            consumer = Consumer({
                "bootstrap.servers": servers, "group.id": "marks", "auto.offset.reset": "earliest",
                "enable.auto.commit": False, "allow.auto.create.topics": False,
            })  # fmt: skip
            until = time.monotonic() + WAIT_SECONDS
            partitions = 0
            try:
                while True:
                    if not partitions:
                        partitions = len(consumer.list_topics(topic, 10).topics[topic].partitions)
                        consumer.assign(
                            [TopicPartition(topic, one, 0) for one in range(partitions)]
                        )
                    message = consumer.poll(0.5)
                    value = message.value() if message and not message.error() else None
                    if value and all(text.encode() in value for text in texts):
                        break
                    if self._process.poll() is not None or time.monotonic() > until:
                        log = self.log.read_text(errors="replace")[-6000:]
                        raise AssertionError(f"{topic} did not get {' '.join(texts)}:\n{log}")
            finally:
                consumer.close()

    def stop(self) -> None:
        """Stop it in the regular way, so that it still writes what is pending."""
        if self._process.poll() is None and self._process.stdin:
            self._process.stdin.close()
            try:
                self._process.wait(60)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._process.wait()


def java_source(jars: Path, program: str, *arguments: str, zone: str = "UTC") -> list[str]:
    """Return the command that runs one of this folder's Java source files in a time zone."""
    java = find_java()
    if not shutil.which("javac") and not (java.parent / "javac").exists():
        pytest.skip("javac is missing: a JDK is needed, a JRE does not do")
    return [
        str(java), "-Xmx1g", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
        "-Dorg.slf4j.simpleLogger.showDateTime=true", f"-Duser.timezone={zone}",
        "-cp", f"{jars}/*", str(HERE / program), *arguments,
    ]  # fmt: skip


def debezium(
    jars: Path, broker: str, directory: Path, connectors: dict[str, dict[str, object]]
) -> Producer:
    """Start Debezium's connectors, one engine each, in one process.

    Args:
        jars: the folder of the producers' jars.
        broker: HOST:PORT of Kafka.
        directory: where the engines keep their offsets; they resume from those of an earlier run.
        connectors: the configuration of each connector by name, which is also its topics' prefix.
    """
    directory.mkdir(parents=True, exist_ok=True)
    files = []
    for name, given in connectors.items():
        options = {
            "name": name,
            "topic.prefix": name,
            "offset.storage": "org.apache.kafka.connect.storage.FileOffsetBackingStore",
            "offset.storage.file.filename": directory / f"{name}.offsets",
            "offset.flush.interval.ms": 1000,
            "schema.history.internal": "io.debezium.storage.file.history.FileSchemaHistory",
            "schema.history.internal.file.filename": directory / f"{name}.schemas",
            **given,
        }
        file = directory / f"{name}.properties"
        file.write_text("".join(f"{key}={value}\n" for key, value in options.items()))
        files.append(str(file))
    return Producer(java_source(jars / "debezium", "Engine.java", broker, *files), directory)


def canal(
    jars: Path, broker: str, directory: Path, port: int, user: str, password: str,
    partitions: dict[str, int],
) -> Producer:  # fmt: skip
    """Start Canal's server on a MySQL, at the first event of its first binary log.

    Args:
        jars: the folder of the producers' jars.
        broker: HOST:PORT of Kafka.
        directory: where it writes its log.
        port, user, password: of the MySQL server.
        partitions: the number of partitions by database, which is also the name of its topic.
    """
    topics = [NewTopic(name, count, 1) for name, count in partitions.items()]
    admin = AdminClient({"bootstrap.servers": broker})
    for made in admin.create_topics(topics).values():
        made.result()
    arguments = [f"{name}={count}" for name, count in partitions.items()]
    command = java_source(
        jars / "canal", "CanalServer.java", broker, str(port), user, password, "binlog.000001",
        *arguments,
        zone="Asia/Shanghai",
    )  # fmt: skip
    return Producer(command, directory)
