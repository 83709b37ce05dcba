"""Freshness: how long after its commit at the source a change is in its current table."""

import bisect
import contextlib
import json
import os
import signal
import statistics
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confluent_kafka import Producer

from changelake.core import settings
from changelake.core.errors import UserError
from changelake.runs.options import Options
from changelake.runs.recorded_runs import Runs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EVERY = "5 seconds"
# after the last message, for the runs that bring it
_REST_SECONDS = 90.0
_MINUTE = 60.0


@dataclass
class Freshness:
    """Seconds from a commit at the source to the commit of the current table that has it.

    Attributes:
        tables: how many tables there are.
        changing: how many of them change in the same minute, each once a second.
        minutes: for how long.
        messages: how many changes were measured: all.
        runs: how many runs parsed them.
    """

    tables: int
    changing: int
    minutes: float
    messages: int
    runs: int
    median: float
    p99: float
    longest: float


class Source(threading.Thread):
    """Publishes changes: each second one of each of some tables, others each minute.

    Args:
        servers: the brokers.
        topic: where to.
        messages: by table, the messages of Canal's that insert its rows.
        changing: of how many tables at once.
        minutes: for how long.
    """

    def __init__(
        self, servers: str, topic: str, messages: Sequence[Sequence[str]], changing: int,
        minutes: float,
    ) -> None:  # fmt: skip
        super().__init__(daemon=True)
        self._producer = Producer({"bootstrap.servers": servers, "linger.ms": 5, "log_level": 0})
        self._topic, self._messages = topic, messages
        self._changing, self.minutes = changing, minutes
        self.begun = time.time()

    def publish_all(self) -> None:
        """Publish each message of each table once, as the tables' first rows."""
        for number in range(len(self._messages[0])):
            for table in range(len(self._messages)):
                self._send(table, json.loads(self._messages[table][number]))
            self._producer.flush()

    def run(self) -> None:
        """Publish changes until the time is over."""
        self.begun, second = time.time(), 0
        while second < self.minutes * _MINUTE:
            first = int(second / _MINUTE) * self._changing
            for table in range(first, first + self._changing):
                self._publish(table % len(self._messages), second)
            self._producer.flush()
            second += 1
            time.sleep(max(0.0, self.begun + second - time.time()))

    def _publish(self, table: int, second: int) -> None:
        texts = self._messages[table]
        message = json.loads(texts[second % len(texts)])
        row = message["data"][0]
        message |= {"type": "UPDATE", "old": [{"order_no": row["order_no"]}]}
        # so that no message repeats another one's row
        row["order_no"] = str(second)
        self._send(table, message)

    def _send(self, table: int, message: dict[str, Any]) -> None:
        message["es"] = message["ts"] = int(time.time() * 1000)
        self._producer.produce(self._topic, json.dumps(message), partition=table % 2)


def keep_up(source: Source, servers: str, log: Path) -> None:
    """Land and build again and again while the source publishes, in this process and its session.

    Args:
        source: not yet started.
        servers: the brokers.
        log: the file for what the runs print.
    """

    def end() -> None:
        source.join()
        time.sleep(_REST_SECONDS)
        os.kill(os.getpid(), signal.SIGTERM)

    source.start()
    threading.Thread(target=end, daemon=True).start()
    _run(servers, EVERY, log)


def first_load(servers: str, log: Path) -> None:
    """Land and build once, see keep_up()."""
    if code := _run(servers, None, log):
        raise UserError(f"the first run ended with {code}: see {log}")


def _run(servers: str, every: str | None, log: Path) -> int:
    options = Options(
        target="local", bootstrap_servers=servers, feeds=[], select=[], retry_rejects=False,
        serve=None, every=every, properties_file=None,
    )  # fmt: skip
    with log.open("a") as file, contextlib.redirect_stdout(file):
        return Runs(options, None).run()


def measured(spark: "SparkSession", source: Source, tables: int, changing: int) -> Freshness:
    """Return what the lake says of the changes that a source has published.

    Raises:
        UserError: a change is in no table.
    """
    begun = int(source.begun * 1000)
    rows: list[tuple[str, int, int]] = [
        (row[0], row[1], row[2])
        for row in spark.sql(
            "select concat(database_name, '__', table_name), unix_millis(committed_at), parse_batch"
            f" from silver.canal_events where committed_at >= timestamp_millis({begun})"
        ).collect()
    ]
    commits = {name: _commits(name) for name in {row[0] for row in rows}}
    seconds: list[float] = []
    for name, committed_at, batch in rows:
        # a batch's number is its start in milliseconds
        later = commits[name][bisect.bisect_left(commits[name], batch) :]
        if not later:
            raise UserError(f"a change of {name} is in no table: leave more time at the end")
        seconds.append((later[0] - committed_at) / 1000)
    return Freshness(
        tables=tables,
        changing=changing,
        minutes=source.minutes,
        messages=len(seconds),
        runs=len({batch for _, _, batch in rows}),
        median=round(statistics.median(seconds), 1),
        p99=round(statistics.quantiles(seconds, n=100)[-1], 1),
        longest=round(max(seconds), 1),
    )


def _commits(name: str) -> list[int]:
    # when the state table behind a current view was committed, in milliseconds
    log = Path(settings.location("warehouse", "state.db", name, "_delta_log"))
    lines = (file.read_text().splitlines() for file in log.glob("[0-9]*.json"))
    infos = (json.loads(line).get("commitInfo") for one in lines for line in one)
    return sorted(one["timestamp"] for one in infos if one)
