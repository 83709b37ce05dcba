"""The figures as metrics for Prometheus, in a file of its text format."""

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


def write_metrics(figures: Figures, file: Path) -> None:
    """Write the metrics, whole or not at all: as node_exporter's collector of text files needs it.

    Args:
        figures: the lake's.
        file: where to; it is replaced, but for a device or a link.

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

    # a feed whose format was changed has messages of both
    topic = "feed", "format", "kafka_topic"
    newest = gauge("newest_timestamp_seconds", "The topic's newest message.", *topic, "step")
    unparsed = gauge("unparsed_messages", "Landed and not parsed yet.", *topic)
    for one in figures.freshness:
        labels = one["feed"], one["format"], one["kafka_topic"] or ""
        unparsed.labels(*labels).set(one["unparsed_messages"])
        for step, age in _NEWEST.items():
            if one[age] is not None:
                newest.labels(*labels, step).set(taken - one[age])

    lag = gauge("lag_seconds", "How long a step took in 24 hours.", *topic, "step", "quantile")
    for one in figures.lag:
        labels = one["feed"], one["format"], one["kafka_topic"], one["step"]
        for quantile, seconds in (("0.5", "median_seconds"), ("0.99", "p99_seconds")):
            lag.labels(*labels, quantile).set(one[seconds])

    messages = gauge("messages", "Parsed messages by outcome.", "feed", "format", "outcome")
    for one in figures.outcomes:
        messages.labels(one["feed"], one["format"], one["outcome"]).set(one["messages"])

    rejected = gauge("rejected_messages", "Rejects that landed in 30 days.", "feed", "reason")
    for one in figures.rejects:
        rejected.labels(one["feed"], one["reject_reason"]).inc(one["messages"])

    drift = gauge("drifted_columns", "Where declared columns differ.", "model", "kind")
    for one in figures.drift:
        drift.labels(one["model"], one["kind"]).set(one["columns"])

    table = "schema", "table"
    for name, column, about in (
        ("table_rows", "stored_rows", "Stored rows, tombstones included."),
        ("table_bytes", "bytes", "The bytes of the table's files."),
        ("table_files", "files", "The table's files."),
    ):
        measured = gauge(name, about, *table)
        for one in figures.sizes:
            measured.labels(one["schema_name"], one["table_name"]).set(one[column])

    for last in figures.last_run:
        ended = taken - last["ended_at_age"]
        gauge("last_run_timestamp_seconds", "When the last run ended.").set(ended)
        seconds = last["seconds"] / last["runs"]
        gauge("last_run_seconds", "How long the last run took.").set(seconds)
        gauge("last_run_exit_code", "The last run's exit code.").set(last["exit_code"])
    write_whole(file, generate_latest(registry).decode())
