"""The figures as metrics for Prometheus, in a file in its text format."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from changelake.core.errors import UserError
from changelake.core.files import write_whole
from changelake.health.figures import Figures

_NEWEST = {
    "commit": "newest_committed_at_age",
    "kafka": "newest_kafka_timestamp_age",
    "landed": "newest_landed_at_age",
    "parsed": "newest_parsed_at_age",
}
# a feed whose format was changed has messages in both
_TOPIC = ("feed", "format", "kafka_topic")
# name, description and labels of a metric to prometheus_client's Gauge
Metric = Callable[..., Any]


def write_metrics(figures: Figures, file: Path) -> None:
    """Write the metrics atomically, as node_exporter's textfile collector needs it.

    Args:
        figures: the lake's.
        file: the file to replace; a device or a link is kept.

    Raises:
        UserError: prometheus-client is not installed.
        OSError: it cannot be written.
    """
    try:
        from prometheus_client import CollectorRegistry, Gauge, generate_latest
    except ImportError:
        raise UserError("--prometheus needs prometheus-client: run `make setup`") from None
    registry = CollectorRegistry()

    def gauge(name: str, about: str, *labels: str) -> Any:
        return Gauge(f"changelake_{name}", about, labels, registry=registry)

    taken = figures.taken_at.timestamp()
    gauge("report_timestamp_seconds", "When these were taken.").set(taken)
    _freshness(figures, taken, gauge)
    _lag(figures, gauge)
    _counts(figures, gauge)
    _sizes(figures, gauge)
    _last_run(figures, taken, gauge)
    write_whole(file, generate_latest(registry).decode())


def _freshness(figures: Figures, taken: float, gauge: Metric) -> None:
    newest = gauge("newest_timestamp_seconds", "The topic's newest message.", *_TOPIC, "step")
    unparsed = gauge("unparsed_messages", "Landed and not parsed yet.", *_TOPIC)
    for one in figures.freshness:
        labels = one["feed"], one["format"], one["kafka_topic"] or ""
        unparsed.labels(*labels).set(one["unparsed_messages"])
        for step, age in _NEWEST.items():
            if one[age] is not None:
                newest.labels(*labels, step).set(taken - one[age])


def _lag(figures: Figures, gauge: Metric) -> None:
    lag = gauge("lag_seconds", "How long a step took in 24 hours.", *_TOPIC, "step", "quantile")
    for one in figures.lag:
        labels = one["feed"], one["format"], one["kafka_topic"], one["step"]
        for quantile, seconds in (("0.5", "median_seconds"), ("0.99", "p99_seconds")):
            lag.labels(*labels, quantile).set(one[seconds])


def _counts(figures: Figures, gauge: Metric) -> None:
    messages = gauge("messages", "Parsed messages by outcome.", "feed", "format", "outcome")
    for one in figures.outcomes:
        messages.labels(one["feed"], one["format"], one["outcome"]).set(one["messages"])
    rejected = gauge("rejected_messages", "Rejects that landed in 30 days.", "feed", "reason")
    for one in figures.rejects:
        rejected.labels(one["feed"], one["reject_reason"]).inc(one["messages"])
    drift = gauge("drifted_columns", "Where declared columns differ.", "model", "kind")
    for one in figures.drift:
        drift.labels(one["model"], one["kind"]).set(one["columns"])


def _sizes(figures: Figures, gauge: Metric) -> None:
    for name, column, about in (
        ("table_rows", "stored_rows", "Stored rows, tombstones included."),
        ("table_bytes", "bytes", "The bytes of the table's files."),
        ("table_files", "files", "The table's files."),
    ):
        measured = gauge(name, about, "schema", "table")
        for one in figures.sizes:
            measured.labels(one["schema_name"], one["table_name"]).set(one[column])


def _last_run(figures: Figures, taken: float, gauge: Metric) -> None:
    # empty before the first run
    for last in figures.last_run:
        ended = taken - last["ended_at_age"]
        gauge("last_run_timestamp_seconds", "When the last run ended.").set(ended)
        seconds = last["seconds"] / last["runs"]
        gauge("last_run_seconds", "How long the last run took.").set(seconds)
        gauge("last_run_exit_code", "The last run's exit code.").set(last["exit_code"])
