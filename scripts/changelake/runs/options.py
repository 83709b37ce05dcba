"""What a run is asked to do, and which options do not go together."""

from dataclasses import InitVar, dataclass, field
from pathlib import Path

from changelake.core import settings
from changelake.core.errors import UserError
from changelake.core.intervals import interval_seconds
from changelake.kafka.client import kafka_properties

_SHORTEST_SECONDS = 1


@dataclass
class Options:
    """What a run is asked to do.

    Args:
        every: the interval between the starts of two runs, with its unit; None: run once.
        properties_file: client settings of Kafka.

    Attributes:
        target: the profile's target.
        bootstrap_servers: the brokers; None: only build what has landed.
        feeds: which feeds to land; empty: all.
        select: what to build, with pending changes or without; empty: what has some.
        retry_rejects: parse the rejected messages again.
        serve: the port at which to serve the lake; None: do not.
        seconds: from the start of a run to the start of the next one; None: run once.
        properties: client settings of Kafka.

    Raises:
        UserError: an option is wrong, or some do not go together.
    """

    target: str
    bootstrap_servers: str | None
    feeds: list[str]
    select: list[str]
    retry_rejects: bool
    serve: int | None
    every: InitVar[str | None]
    properties_file: InitVar[Path | None]
    seconds: float | None = field(init=False)
    properties: dict[str, str] = field(init=False)

    def __post_init__(self, every: str | None, properties_file: Path | None) -> None:
        """Check the options, and read those that are texts or files."""
        self.seconds = None if every is None else interval_seconds(every, "--every")
        settings.check_target(self.target)
        self._check_interval(every)
        if self.bootstrap_servers is None:
            self._check_without_brokers(properties_file)
        # read now, since a build changes the directory
        self.properties = kafka_properties(properties_file)

    @property
    def is_resident(self) -> bool:
        """Say whether the process repeats runs, which print nothing if nothing is new."""
        return self.seconds is not None

    @property
    def is_on_cluster(self) -> bool:
        """Say whether a Thrift server has the catalog."""
        return self.target == settings.CLUSTER

    def _check_interval(self, every: str | None) -> None:
        if self.seconds is None:
            if self.serve is not None:
                raise UserError("--serve goes with --every: a single run ends, and its server too")
            return
        if self.serve is not None and self.is_on_cluster:
            raise UserError("--serve serves an embedded lake: a cluster has its own Thrift server")
        if self.seconds < _SHORTEST_SECONDS:
            raise UserError(f"--every {every}: give one second or more")
        if self.feeds or self.select or self.retry_rejects or self.target == "sample":
            raise UserError(
                "--every keeps the whole lake up to date: it goes with neither --feed, --select,"
                " --retry-rejects nor target sample"
            )

    def _check_without_brokers(self, properties_file: Path | None) -> None:
        if properties_file:
            raise UserError(
                "--kafka-properties goes with --bootstrap-servers: without it nothing is landed"
            )
        if self.feeds and self.select:
            raise UserError(
                "--feed names a feed to land, and --select without brokers lands none: leave it out"
            )
