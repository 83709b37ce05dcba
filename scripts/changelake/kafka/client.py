"""Kafka's client settings, and what landing asks a cluster: topics, partitions, offsets."""

import contextlib
import os
import re
import socket
import time
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from changelake.core.errors import UserError, java_class, java_message
from changelake.core.files import absolute_path, read_input
from changelake.kafka.broker import Broker
from changelake.spark.jvm import java_packages

ENVIRONMENT_PREFIX = "CHANGELAKE_KAFKA_"
SERVERS_VARIABLE = f"{ENVIRONMENT_PREFIX}BOOTSTRAP_SERVERS"
# Exactly-once depends on these: where to begin, what counts as written (no aborted transaction, no
# damaged message), the bytes as they are, and no topic created by reading it.
RESERVED = (
    "allow.auto.create.topics",
    "auto.offset.reset",
    "check.crcs",
    "enable.auto.commit",
    "interceptor.classes",
    "isolation.level",
    "key.deserializer",
    "value.deserializer",
    "key.serializer",
    "value.serializer",
)
CONNECT_SECONDS = 5.0
# How long a topic that was just created may stay unknown.
TOPIC_SECONDS = 30.0
ADMIN_TIMEOUTS = {"request.timeout.ms": "6000", "default.api.timeout.ms": "12000"}

Partition = tuple[str, int]


@dataclass(frozen=True)
class Topic:
    """A topic as the cluster knows it.

    Attributes:
        topic_id: its identity, which a topic that is deleted and created again does not keep; empty
            where the brokers know none, as those before Kafka 2.8.
    """

    name: str
    topic_id: str
    partitions: tuple[int, ...]


def _known_id(topic_id: Any) -> str:
    # the id is zero where brokers do not assign any
    is_none = topic_id.getMostSignificantBits() == topic_id.getLeastSignificantBits() == 0
    return "" if is_none else str(topic_id.toString())


def parse_properties(text: str) -> dict[str, str]:
    """Read a text in the syntax of Java's properties files."""
    properties: dict[str, str] = {}
    for line in _logical_lines(text):
        match = re.match(r"((?:\\.|[^\\\s=:])*)\s*[=:]?\s*(.*)", line, re.DOTALL)
        if match:
            properties[_unescape(match.group(1))] = _unescape(match.group(2))
    return properties


def _logical_lines(text: str) -> Iterable[str]:
    pending = ""
    # no other character ends a line there, and a password can contain any other
    for raw in re.split(r"\r\n|\r|\n", text):
        line = raw.lstrip(" \t\f")
        if not pending and (not line or line[0] in "#!"):
            continue
        # An odd number of backslashes at the end continues the line.
        if (len(line) - len(line.rstrip("\\"))) % 2:
            pending += line[:-1]
            continue
        yield pending + line
        pending = ""
    if pending:
        yield pending


def _unescape(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        if match.group(1):
            return chr(int(match.group(1), 16))
        return {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}.get(match.group(2), match.group(2))

    return re.sub(r"\\(?:u([0-9a-fA-F]{4})|(.))", character, text, flags=re.DOTALL)


def kafka_properties(
    file: Path | None = None, environment: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Return the client settings of a file and of the environment, which wins.

    Args:
        file: a Java properties file, as Kafka's own tools take it.
        environment: where CHANGELAKE_KAFKA_SECURITY_PROTOCOL stands for security.protocol.

    Raises:
        UserError: the file cannot be read, or a setting is one that landing decides itself.
    """
    properties: dict[str, str] = {}
    if file is not None:
        properties = parse_properties(read_input(file, "--kafka-properties", "utf-8-sig"))
    for name, value in environment.items():
        if name.startswith(ENVIRONMENT_PREFIX) and value:
            key = name[len(ENVIRONMENT_PREFIX) :].lower().replace("_", ".")
            properties[key] = value
    # Spark ignores the case of options: so does the check of reserved ones.
    properties = {key.strip().lower(): value for key, value in properties.items()}
    # The servers have their own option.
    properties.pop("bootstrap.servers", None)
    for key, value in properties.items():
        if key.endswith(".location") and value:
            # Java runs in another directory.
            properties[key] = str(absolute_path(value))
    for key in RESERVED:
        if key in properties:
            raise UserError(
                f"the Kafka setting {key} is reserved, since exactly-once landing depends on it: "
                f"remove it from --kafka-properties and from {ENVIRONMENT_PREFIX}…"
            )
    return properties


def check_reachable(bootstrap_servers: str) -> None:
    """Check that one of the servers accepts connections, in seconds and without Java.

    Raises:
        UserError: the list is malformed, or no server of it can be reached.
    """
    reasons: list[str] = []
    servers = [server.strip() for server in bootstrap_servers.split(",") if server.strip()]
    for server in servers:
        host, colon, port = server.rpartition(":")
        if not (
            colon and "/" not in server and host and port.isdecimal() and 0 < int(port) < 65536
        ):
            raise UserError(f"--bootstrap-servers {bootstrap_servers}: write HOST:PORT[,HOST:PORT]")
        try:
            address = (host.strip("[]"), int(port))
            socket.create_connection(address, timeout=CONNECT_SECONDS / len(servers) + 1).close()
            return
        except OSError as error:
            reasons.append(f"{server}: {error.strerror or error}")
        except UnicodeError:
            raise UserError(f"--bootstrap-servers: {host!r} is not a host name") from None
    if not servers:
        raise UserError(
            f"--bootstrap-servers, or {SERVERS_VARIABLE}, is empty: write HOST:PORT[,HOST:PORT]"
        )
    do = "check --bootstrap-servers, and that the broker runs"
    with contextlib.suppress(UserError):
        if running := Broker().running():
            do = f"the local broker listens on 127.0.0.1:{running[1]}"
    raise UserError(f"no Kafka broker can be reached ({'; '.join(reasons)}): {do}")


class KafkaCluster(AbstractContextManager["KafkaCluster"]):
    """A Kafka cluster, asked through the admin client in Spark's JVM.

    Args:
        spark: the session.
        bootstrap_servers: HOST:PORT, separated by commas.
        properties: client settings, without Spark's `kafka.` prefix.

    Raises:
        UserError: in every method, when the cluster does not answer as it should.
    """

    def __init__(self, spark: Any, bootstrap_servers: str, properties: Mapping[str, str]) -> None:
        self.servers = bootstrap_servers
        self._jvm = java_packages(spark)
        self._kafka = self._jvm.org.apache.kafka
        # PySpark hands dictionaries and lists to Java as Java's own.
        settings = {**ADMIN_TIMEOUTS, **properties, "bootstrap.servers": bootstrap_servers}
        try:
            self._admin = self._kafka.clients.admin.AdminClient.create(settings)
        except Exception as error:
            raise self._user_error(error) from None

    def __exit__(self, *_: object) -> None:
        self._admin.close(self._jvm.java.time.Duration.ofSeconds(5))

    def topic_names(self) -> set[str]:
        """Return the names of the topics that this client may see, Kafka's own left out."""
        return set(self._get(lambda: self._admin.listTopics().names()))

    def create_topic(self, name: str, partitions: int = 1) -> None:
        """Create a topic with one replica, unless it exists."""
        if name not in self.topic_names():
            topic = self._kafka.clients.admin.NewTopic(name, partitions, 1)
            self._get(lambda: self._admin.createTopics([topic]).all())
            # a busy broker learns of it a moment after the controller has created it
            until = time.monotonic() + TOPIC_SECONDS
            while name not in self.topic_names():
                if time.monotonic() > until:
                    raise UserError(
                        f"{self.servers} created the topic {name}, but does not list it:"
                        " see its log, and run again"
                    )
                time.sleep(0.1)

    def topics(self, names: Iterable[str]) -> dict[str, Topic]:
        """Return the topics of these names, without those that do not exist (any more)."""
        wanted = list(names)
        answers = self._admin.describeTopics(wanted).topicNameValues()
        found: dict[str, Topic] = {}
        for name in wanted:
            try:
                described = answers.get(name).get()
            except Exception as error:
                if java_class(error) == "UnknownTopicOrPartitionException":
                    continue
                raise self._user_error(error) from None
            partitions = sorted(part.partition() for part in described.partitions())
            found[name] = Topic(name, _known_id(described.topicId()), tuple(partitions))
        return found

    def compacted(self, names: Iterable[str]) -> set[str]:
        """Return those of these topics that are compacted, as far as this client may know it."""
        config = self._kafka.common.config
        asked = {
            name: config.ConfigResource(config.ConfigResource.Type.TOPIC, name) for name in names
        }
        found: set[str] = set()
        # Landing does not need the permission to read settings: without it the answer is unknown.
        with contextlib.suppress(Exception):
            answers = self._admin.describeConfigs(list(asked.values())).values()
            for name, resource in asked.items():
                with contextlib.suppress(Exception):
                    policy = answers.get(resource).get().get("cleanup.policy").value()
                    if "compact" in policy.split(","):
                        found.add(name)
        return found

    def offsets(self, partitions: Iterable[Partition]) -> dict[Partition, tuple[int, int]]:
        """Return the first offset and the one behind the last, of each partition."""
        partitions = list(partitions)
        return dict(
            zip(
                partitions,
                zip(
                    self._offsets(partitions, "earliest"),
                    self._offsets(partitions, "latest"),
                    strict=True,
                ),
                strict=True,
            )
        )

    def _offsets(self, partitions: list[Partition], which: str) -> list[int]:
        admin = self._kafka.clients.admin
        spec = getattr(admin.OffsetSpec, which)()
        keys = [self._kafka.common.TopicPartition(topic, part) for topic, part in partitions]
        request = dict.fromkeys(keys, spec)
        # Messages of an open transaction do not count.
        options = admin.ListOffsetsOptions(self._kafka.common.IsolationLevel.READ_COMMITTED)
        found = self._get(lambda: self._admin.listOffsets(request, options).all())
        return [found.get(key).offset() for key in keys]

    def _get(self, request: Any) -> Any:
        try:
            return request().get()
        except Exception as error:
            raise self._user_error(error) from None

    def _user_error(self, error: Exception) -> UserError:
        reason = java_message(error)
        return UserError(
            f"the Kafka broker at {self.servers} does not answer: {reason}: check the credentials,"
            " TLS, permissions and the listener's advertised address"
        )
