"""The figures as one page of HTML, which needs no network and no script."""

from datetime import datetime, time, timedelta, timezone
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from changelake.core.terminal import visible
from changelake.core.words import duration, size
from changelake.health.attention import attention
from changelake.health.charts import bars_by_day, lines, points
from changelake.health.figures import DAYS, RUN_DAYS, Figures

_TEMPLATE = Path(__file__).with_name("page.html.j2")
_STEPS = {
    "commit_to_kafka": "Commit → Kafka",
    "kafka_to_landed": "Kafka → landed",
    "landed_to_parsed": "Landed → parsed",
    "commit_to_parsed": "In all",
}


def page(figures: Figures, late_seconds: float) -> str:
    """Return the page.

    Args:
        figures: the lake's.
        late_seconds: see attention().
    """
    environment = jinja2.Environment(
        autoescape=True, finalize=_shown, undefined=jinja2.StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {"duration": duration, "size": size}
    template = environment.from_string(_TEMPLATE.read_text(encoding="utf-8"))
    return template.render(
        figures=figures,
        attention=attention(figures, late_seconds),
        lags={
            (one["feed"], one["format"], one["kafka_topic"], one["step"]): one
            for one in figures.lag
        },
        steps=_STEPS,
        charts=_charts(figures),
        days=DAYS,
        run_days=RUN_DAYS,
        late=duration(late_seconds),
    )


def _shown(value: Any) -> Any:
    # a name from a source may change the direction of the text around it
    return visible(value) if type(value) is str else value


def _charts(figures: Figures) -> dict[str, Markup]:
    """Return the charts by name."""
    today = figures.taken_at.date()
    tomorrow = datetime.combine(today + timedelta(1), time(), timezone.utc)
    month = (tomorrow - timedelta(DAYS), tomorrow)
    week = (figures.taken_at - timedelta(RUN_DAYS), figures.taken_at)
    rejects = _sum(figures.rejects, ("landed_date", "reject_reason"), "messages")
    runs = [
        {**one, "outcome": "failed" if one["has_failed"] else "success"}
        for one in figures.runs
        if one["runs"] == 1
    ]
    return {
        "events": bars_by_day(figures.events, "landed_date", "events", "operation", month),
        "rejects": bars_by_day(rejects, "landed_date", "messages", "reject_reason", month),
        "sizes": lines(figures.sizes_by_day, "day", "bytes", "schema_name", month),
        "runs": points(runs, "started_at", "seconds", "outcome", week),
        "cpu": points(runs, "started_at", "cpu_seconds", "outcome", week),
    }


def _sum(rows: list[dict[str, Any]], by: tuple[str, ...], value: str) -> list[dict[str, Any]]:
    sums: dict[tuple[Any, ...], int] = {}
    for row in rows:
        key = tuple(row[name] for name in by)
        sums[key] = sums.get(key, 0) + row[value]
    return [{**dict(zip(by, key, strict=True)), value: total} for key, total in sums.items()]
